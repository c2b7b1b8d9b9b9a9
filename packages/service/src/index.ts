/** Shared parts of services around their operations: HTTP, callers, settings, process. */

export { authorizeCall as guard } from './authorize-call.ts'
export type { ReceivedBody } from './body.ts'
export {
  anonymousCaller,
  type Call,
  type Caller,
  createRoutes as route,
  type Handlers,
  isRaw,
  type RawReply,
  type Route,
  rawReply as raw,
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
export { type Client, type ClientRequest, createClient } from './client.ts'
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
export { compileDecoder as decoderOf, compileQueryDecoder as queryDecoderOf } from './decode.ts'
export { digestCooperatively, encodeCooperatively } from './encode-cooperatively.ts'
export {
  createErasure as erasureOf,
  type ErasedAddress,
  type ErasedAddressOptions,
  type Erasure,
  erasedAddressHandler,
} from './erasure.ts'
export {
  callerErrorOf as refusalOf,
  errorHandler,
  REQUEST_ID_HEADER,
  requestIdOf,
  sendError,
  validateRawHeaders,
} from './error-handler.ts'
export { type TextFormat as Format, textFormats as formats } from './formats.ts'
export { createHealth, type Health } from './health.ts'
export { createHttp } from './http.ts'
export { MAX_NESTING, parseJson, parseLargeJson, validateJson } from './json.ts'
export { stringifyJson } from './json-text.ts'
export {
  type EncryptedRecord,
  type EncryptedSource,
  type EncryptedText,
  type KeyRotationOptions,
  keyRotationJob,
} from './key-rotation.ts'
export { createLogger, type Logger } from './logger.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export type { MultipartPart } from './multipart.ts'
export type { Resources } from './resources.ts'
export { directOrigin, type RequestOrigin as Origin } from './respond.ts'
export { type BackgroundWork, type RunOptions, runService as run, type ServiceApp } from './run.ts'
export {
  joinCooperatively,
  mapCooperatively,
  runCooperatively,
  runToEnd,
  withTurnsOf,
} from './run-cooperatively.ts'
export { type ServeOptions, serve } from './serve.ts'
export { compileValidator as compile, fieldPathOf as pathOf, type Validator } from './validate.ts'
