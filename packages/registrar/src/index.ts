export { type AdmissionPorts, type AdmissionRule, admissionRules, type Refusal } from "./admission.ts";
export { HealthProber, type ProberPorts } from "./health-prober.ts";
export {
  type Offer,
  type OfferedTool,
  type OfferedToolset,
  type OfferResult,
  Registrar,
  type RegistrarPorts,
} from "./registrar.ts";
export { SnapshotFeed, type Step } from "./snapshot-feed.ts";
