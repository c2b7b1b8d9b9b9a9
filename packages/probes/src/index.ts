/** Kinds of checks: each measures a target through the outbound client. */
export { canaryProbe } from './http.ts'
export {
  type DomainRegistrations,
  isLoss,
  noTimings,
  notMeasured,
  type Probed,
  type Registration,
} from './probe.ts'
export { createRunProbe, hostOf, type RunProbe } from './run-probe.ts'
