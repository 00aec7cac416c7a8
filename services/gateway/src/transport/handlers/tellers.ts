import type { AdminService, ToolGatewayService } from "@toolgate/contract";
import { type RegisterOutcome, type RegisterResponse, RegisterStatus } from "@toolgate/contract";
import type { Handlers } from "../grpc/service.ts";
import type { Tellers } from "./audited.ts";

/** What operators do. Reading is not written down. */
export const adminTellers: Tellers<Required<Handlers<typeof AdminService>>> = {
  reload: (_request, response) => ({
    kind: "admin",
    action: "reload",
    detail:
      response === undefined
        ? ""
        : counts({
            added: response.added,
            changed: response.changed,
            removed: response.removed,
            problems: response.problems,
          }),
  }),
  setToolEnabled: ({ tool, enabled }, response) => ({
    kind: "admin",
    action: enabled ? "enable_tool" : "disable_tool",
    tool,
    detail: response?.known === false ? "no such tool" : "",
  }),
  setToolsetEnabled: ({ toolset, enabled }, response) => ({
    kind: "admin",
    action: enabled ? "enable_toolset" : "disable_toolset",
    toolset,
    detail: response?.known === false ? "no such toolset" : "",
  }),
  createApiKey: ({ client }, response) => ({
    kind: "admin",
    action: "create_key",
    detail: [`client ${client}`, ...(response?.apiKey === undefined ? [] : [`key ${response.apiKey.id}`])].join(", "),
  }),
  revokeApiKey: ({ id }, response) => ({
    kind: "admin",
    action: "revoke_key",
    detail: `key ${id}${response?.known === false ? ", no such key" : ""}`,
  }),
};

/** Tools that come and go over the network. One that registers again what it has changes nothing. */
export const registrationTellers: Tellers<Required<Handlers<typeof ToolGatewayService>>> = {
  register: ({ toolset, instanceId }, response) => {
    if (response?.outcomes.every(({ status }) => status === RegisterStatus.UNCHANGED)) return undefined;
    const detail = [`instance ${instanceId}`, ...(response === undefined ? [] : outcomes(response))].join("; ");
    return { kind: "registration", action: "register", toolset, detail };
  },
  deregister: (_request, response) => {
    if (response?.known === false) return undefined;
    return {
      kind: "registration",
      action: "deregister",
      detail: response === undefined ? "" : counts({ removed: response.removed }),
    };
  },
};

function outcomes({ outcomes: all }: RegisterResponse): string[] {
  const named = (status: RegisterStatus) => all.filter((outcome) => outcome.status === status).map(nameOf);
  return [
    counts({
      registered: named(RegisterStatus.REGISTERED),
      updated: named(RegisterStatus.UPDATED),
      refused: named(RegisterStatus.REFUSED),
    }),
  ];
}

function nameOf({ tool }: RegisterOutcome): string {
  return tool;
}

/** "2 added (a, b), 1 removed (c)"; names as far as they are texts, and few enough to be read. */
function counts(lists: Readonly<Record<string, readonly unknown[]>>): string {
  return Object.entries(lists)
    .filter(([, items]) => items.length > 0)
    .map(([what, items]) => {
      const names = items.filter((item) => typeof item === "string").slice(0, 5);
      const more = names.length < items.length ? ", …" : "";
      return names.length === 0 ? `${items.length} ${what}` : `${items.length} ${what} (${names.join(", ")}${more})`;
    })
    .join("; ");
}
