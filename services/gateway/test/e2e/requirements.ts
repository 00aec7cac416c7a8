/**
 * Every behaviour that users rely on, as data. A test cites an id with
 * `verifies("id", …)`; `coverage.test.ts` fails on an id that no test cites.
 */
export const REQUIREMENTS = {
  "call.grpc.success": "A call through gRPC runs the tool and answers an envelope with its data and meta",
  "call.grpc.encoding":
    "The result comes back in the encoding in which the arguments came; JSON text keeps every digit",
  "call.grpc.deadline": "The caller's deadline bounds the attempt at the backend",
  "call.grpc.cancel": "A caller that cancels ends the request at the backend",
  "call.grpc.cancel-storm": "A client that cancels 5,000 calls on one channel takes no other call down with it",
  "call.http.success": "POST /v1/call and POST /call run the tool and answer the same envelope as gRPC",
  "call.http.status": "HTTP answers carry the status of the error table, and Retry-After where a wait is known",
  "call.http.cancel": "An HTTP caller that goes away ends the request at the backend",
  "call.unknown-tool": "An unknown tool is TOOL_NOT_FOUND with near names; so are __proto__ and constructor",
  "call.arguments.schema":
    "Missing and wrong arguments are INVALID_ARGUMENT with path, expected and got for each, and reach no backend",
  "call.arguments.coerced":
    "Arguments are read as the schema wants them where there is one way to, through every door, and the caller hears of it",
  "call.arguments.text": "Arguments that are no JSON object are INVALID_ARGUMENT, saying where they break",
  "call.mapping": "A response mapping by JSONPath makes the result; raw shows what came before; fields keeps parts",
  "retry.unreachable": "A tool with retry is tried again where the call was never delivered, whatever the tool",
  "retry.idempotent": "Timeouts and the statuses in retryable_errors are tried again for idempotent tools only",
  "retry.lost-answers": "Of calls whose answers are lost, none of a tool that is not idempotent runs twice",
  "retry.bounds":
    "Retries keep to the attempts, the caller's deadline, the backend's Retry-After and the tool's budget",
  "results.ndjson": "An answer of one JSON value a line becomes a list; a bad line is named, and never left out",
  "call.backend.unreachable": "A backend that cannot be reached is BACKEND_UNREACHABLE",
  "call.backend.timeout":
    "A backend that is too slow is BACKEND_TIMEOUT for idempotent tools and OUTCOME_UNKNOWN for others",
  "call.backend.error": "A backend's error answer is TOOL_ERROR with its status and body readable",
  "call.backend.not-json":
    "An answer that is not JSON is text, or RESULT_INVALID with its first bytes where JSON was promised",
  "call.delegated": "A tool with execution client is checked and handed back as delegated",
  "loops.repeat":
    "The third equal read of a session in a row is warned of, the fourth LOOP_DETECTED; anything else that runs starts anew",
  "loops.cycle": "Two to five calls in turn are warned of in their third round and refused in their fourth",
  "loops.same-result": "A read-only tool that gives the same result whatever its arguments is warned of, then refused",
  "loops.apart": "Sessions and callers are kept apart, and a call without a session is not guarded",
  "loops.settings": "A tool may be exempt, and thresholds are settings",
  "call.internal":
    "What fails inside the gateway is INTERNAL without stack, path or secret, and is logged under the call id",
  "cache.hit":
    "An equal call within the time to live gets the kept result, marked as cached and with its age, as the operator's rules say",
  "cache.never":
    "Results are not kept of tools that may not run twice, of errors, of bypass, or where the cache is off",
  "cache.shared-call": "Equal calls under way share one backend call; one that is cancelled ends none of the others",
  "cache.private":
    "Where callers or credentials reach the backend, each caller has its own results unless the operator says otherwise",
  "cache.permission-first": "Permission comes before a kept result",
  "batch.together":
    "Calls within the window of a tool that takes lists go as one backend call, each with its own part of the answer",
  "batch.bounds": "A batch is sent when it is full, or when its window ends",
  "batch.one-fails": "One failed item fails only its own call, also where the backend refuses the whole list",
  "batch.apart": "Only calls that differ in nothing but the list go together",
  "limits.rate":
    "A rate that is used up is RATE_LIMITED through both doors, with the exact wait; Retry-After is rounded up",
  "limits.levels": "Rates and slots of all calls, of a tool and of a client hold together; each bites",
  "limits.refused": "A call that one limit refuses is counted by none of them",
  "limits.one-unit": "One call is one unit of the tool that runs, whichever way it was asked for",
  "limits.free": "Lists, watches and calls that are refused before cost nothing",
  "limits.left": "Answers say what is left of each limit, over HTTP also as RateLimit-Policy and RateLimit",
  "limits.queue": "Calls wait for slots in a queue that is bounded in length and time; the wait is no execution time",
  "limits.fair": "Callers are served in turn, however many calls one of them has waiting",
  "limits.slots-return": "A slot comes back when its call ends, fails, takes too long or is cancelled",
  "limits.shadow": "A limit in shadow refuses nothing, and says in metrics and log what it would have refused",
  "http.parameters": "Path, query, header and body parameters reach the backend in their places, with each method",
  "builtin.files": "read_file, write_file and patch work inside their root and nowhere else",
  "builtin.docs": "docs_search finds text in a folder",
  "list.order": "ListTools answers the same tools in the same order, through both doors",
  "list.filters": "ListTools filters by toolset (alias too), name, capability, tag and words, and pages",
  "list.not-modified": "ListTools answers not_modified to a caller that has the generation",
  "list.unavailable":
    "Tools that cannot be used are listed only on request, with the reason; calls to them reach no backend",
  "list.empty-reason": "An empty list says why: nothing there, nothing fits, nothing usable, or nothing permitted",
  "list.missing": "A source that cannot be read is named in the list with its reason, and hides nobody else's tools",
  "register.outcomes": "Register answers for each tool; a refused one stops neither the rpc nor its neighbours",
  "register.ownership": "A taken name is never overwritten, whoever asks; nobody but the owner renews or removes",
  "register.lease": "A registration without heartbeats ends with its lease; Heartbeat then says unknown",
  "register.address": "A registered tool may not point or lead outside the allowed hosts; a tool file may",
  "provider.call":
    "A process that registers itself serves calls through the gateway; a taken name is refused and stops nobody",
  "provider.instances":
    "Two instances of one provider share the calls; a dead one is left out at once, and gone with its lease",
  "provider.check":
    "A tool or provider that says in its Check that it cannot be used is neither listed nor called until it says that it can",
  "provider.returns": "A provider is back by itself after the gateway restarted",
  "watch.thousand": "A thousand watchers hear of a change",
  "watch.snapshot":
    "WatchToolsets sends the whole snapshot, then synced, then every change in order with its generation",
  "watch.resume": "A watch resumes from a generation, or is told to forget where that is not known",
  "watch.heartbeat": "A quiet watch sends heartbeats",
  "watch.slow-reader": "A reader that never reads costs no memory and holds up nobody",
  "health.toolset": "A toolset's check decides its health; its tools come and go with it",
  "health.tool": "A tool's own check decides whether it can be used",
  "results.transform":
    "A tool's script makes of its answer what the mapping and the caller get, in any language of its own, with every digit",
  "results.transform-faults": "A script that fails is RESULT_INVALID with its line; the backend is not called again",
  "results.transform-bounds": "A script that hangs is ended at its time, and holds up no other tool",
  "results.transform-checked": "A script that cannot be read is an error of its tool file, with the place in it",
  "results.transform-files": "A script may be a file below its tool file's folder, and is in force when it is saved",
  "files.load": "One file a tool; the YAML of both articles loads as it stands",
  "files.reload": "A saved, renamed or swapped file is in force within 2 s, as after SIGHUP and toolgate reload",
  "files.last-good": "A bad file keeps its last good version and gives one error with file, line and column",
  "doors.health": "grpc.health.v1 serves and says NOT_SERVING once the gateway stops",
  "doors.reflection": "Server reflection v1 names the services and gives their files",
  "doors.admin": "/metrics, /healthz and /readyz answer on the admin port",
  "doors.malformed": "A malformed request gives one clear error that names the place, and crashes nothing",
  "doors.too-large": "A message over the limit is refused and the connection lives",
  "doors.connect": "The HTTP port also speaks Connect and gRPC-Web, with the same answers",
  "doors.foreign-page": "Web pages of other sites are refused on loopback",
  "doors.keepalive": "A client that pings an idle connection is not sent away",
  "doors.metadata": "Repeated and binary metadata are accepted, and nothing of them is logged",
  "identity.keys": "Where clients are configured, a call without a known key is UNAUTHENTICATED through every door",
  "identity.scopes": "A caller sees and calls only tools whose scopes it has",
  "identity.rules":
    "A client's allow and deny rules by toolset, tool pattern and annotation decide what it sees and calls",
  "identity.hidden":
    "A forbidden tool is PERMISSION_DENIED, or looks like an unknown one where the client's rules say so",
  "identity.list-rules": "What is listed to a client can be less than what it may call",
  "identity.admin": "AdminService needs an admin key",
  "identity.key-stays": "The caller's gateway key never reaches a backend",
  "trace.context": "W3C trace context goes on to the backend",
  "start.taken-port": "Start is refused in words on a taken port",
  "start.public-address": "Start is refused in words on a public address without keys",
  "start.bad-config": "Start is refused with file, line and column for each fault of the configuration",
  "start.environment": "TOOLGATE_ variables override the configuration",
  "stop.in-flight": "SIGTERM lets calls in flight finish, and refuses new ones as UNAVAILABLE",
  "stop.watches": "SIGTERM ends watches with UNAVAILABLE",
  "stop.bounded": "The process ends within 10 s whatever its clients do, and leaves nothing behind",
  "metrics.calls": "toolgate_calls_total counts by tool, toolset, backend and outcome",
  "metrics.bounded": "Unknown tool names and caller ids never become label values",
  "metrics.names": "Every documented metric is exposed",
  "client.call": "The client narrows data or error by status, and honours deadline and AbortSignal",
  "client.list": "The client lists all pages",
  "client.unreachable": "The client says in words that no gateway is there",
  "cli.call": "toolgate call reads --param by the tool's schema and prints data, or the error with exit code 1",
  "cli.list":
    "toolgate list-tools prints a table, or JSON and nothing else with --json; --verbose adds source, owner, health and last error",
  "cli.watch": "toolgate watch tells what happens to the toolsets, also as JSON lines",
  "audit.calls":
    "Every call is in the audit log, however it ended and through whichever door, with who, what, when and how",
  "audit.arguments":
    "Arguments are digests that are equal where they are, through every door; redacted ones or none where asked for",
  "audit.others": "What operators do and what registers itself is in the audit log, also where it was refused",
  "audit.read": "ReadAuditLog filters and pages the log, newest first, for operators only",
  "audit.crash": "A gateway that is killed under load leaves whole entries in order, and the next one goes on there",
  "audit.hanging": "An audit log that hangs holds up no call and no stop; what is lost is counted",
  "audit.bounded": "The files of the audit log stay within their bounds, and the oldest go first",
  "audit.stop": "A gateway that stops writes what it still has into the audit log",
  "delegated.report":
    "The caller of a delegated call, and nobody else, reports its outcome once, through every door, into the audit log",
  "delegated.client": "The client reports the outcomes of its handlers by itself, unless told not to",
  "cli.audit": "toolgate audit shows the log, filtered, as a table or as the lines of its file",
  "cli.switch": "toolgate disable and enable switch a tool or toolset off and on, seen by lists, watches and calls",
  "cli.types": "toolgate types writes TypeScript of the gateway's tools",
  "cli.validate": "toolgate validate names file, line and column of each fault, with exit code 2",
  "cli.reload": "toolgate reload reads the files again and says what changed",
  "cli.init": "toolgate init writes a configuration that serves, and overwrites nothing",
  "cli.exit-codes": "Exit codes: 0 success, 1 an error answered, 2 bad usage or file, 3 gateway unreachable",
  "quickstart.start":
    "npm start serves weather_query, docs_search and read_file, and prints snippets that work as pasted",
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;
