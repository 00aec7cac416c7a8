/** The least that a gRPC server can do: reads the request, and answers at once, in the encoding it was asked in. */
import { answerOf } from "../calls/answer.ts";
import { ANSWER_TEXT } from "../calls/tools.ts";
import { serveCalls } from "./call-server.ts";

serveCalls((request) => answerOf(request, ANSWER_TEXT));
