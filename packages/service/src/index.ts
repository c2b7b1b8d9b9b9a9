/** Everything that services share around their operations: HTTP, callers, settings, process. */
export { directOrigin, type Origin } from './answer.ts'
export type { ReceivedBody } from './body.ts'
export {
  anonymousCaller,
  type Call,
  type Caller,
  type Handlers,
  isRaw,
  type RawReply,
  type Route,
  raw,
  route,
} from './call.ts'
export {
  ADDRESS_HEADER,
  AGENT_HEADER,
  CALLER_HEADER,
  type CallerSigner,
  type CallerVerifier,
  callerSigner,
  callerVerifier,
  type VerifiedCaller,
} from './caller.ts'
export { type Client, createClient, type Question } from './client.ts'
export { addClientErrorHeaders, type ClientErrorHeaders } from './client-error.ts'
export {
  type BaseConfig,
  baseConfig,
  ConfigError,
  defineConfig,
  type Environment,
  loadConfig,
  ownHostsOf,
} from './config.ts'
export { decoderOf, queryDecoderOf } from './decode.ts'
export {
  type ErasedAddress,
  type ErasedAddressOptions,
  type Erasure,
  erasedAddressReaction,
  erasureOf,
} from './erasure.ts'
export {
  errorHandler,
  judgeRawHeaders,
  REQUEST_ID_HEADER,
  refusalOf,
  requestIdOf,
  sendError,
} from './error-handler.ts'
export { type Format, formats } from './formats.ts'
export { guard } from './guard.ts'
export { createHealth, type Health } from './health.ts'
export { createHttp } from './http.ts'
export { judgeJson, MAX_NESTING, parseJson, parseLargeJson } from './json.ts'
export { stringifyJson } from './json-text.ts'
export { createLogger, type Logger } from './logger.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export type { Part } from './multipart.ts'
export {
  type ResealOptions,
  resealWork,
  type SealedRecord,
  type SealedSource,
  type SealedText,
} from './reseal.ts'
export type { Resources } from './resources.ts'
export { type BackgroundWork, type RunOptions, run, type ServiceApp } from './run.ts'
export { type ServeOptions, serve } from './serve.ts'
export { atOnce, inSlices, mapInSlices, withTurnsOf } from './slices.ts'
export { compile, type Judge, pathOf } from './validate.ts'
