/** Shared parts of services around their operations: HTTP, callers, settings, process. */

export { authorizeCall } from './authorize-call.ts'
export { removeUnusedContentType } from './body.ts'
export {
  anonymousCaller,
  type Call,
  type Caller,
  createRoutes,
  type Handlers,
  isRaw,
  type RawReply,
  type Route,
  rawReply,
} from './call.ts'
export {
  ADDRESS_HEADER,
  AGENT_HEADER,
  CALLER_HEADER,
  type CallerSigner,
  type CallerVerifier,
  callerSigner,
  callerVerifier,
} from './caller.ts'
export { type Client, type ClientRequest, createClient } from './client.ts'
export { addClientErrorHeaders } from './client-error.ts'
export { defineConfig, type Environment, loadConfig, ownHostsOf } from './config.ts'
export { compileDecoder } from './decode.ts'
export { entryLimit } from './entry-limit.ts'
export { createErasure, type ErasedAddress, type Erasure, erasedAddressHandler } from './erasure.ts'
export {
  errorHandler,
  REQUEST_ID_HEADER,
  requestIdOf,
  validateRawHeaders,
} from './error-handler.ts'
export { etagsMatch } from './etag.ts'
export { type TextFormat, textFormats } from './formats.ts'
export { createHealth, type Health } from './health.ts'
export { createHttp } from './http.ts'
export { inputReader } from './input.ts'
export { MAX_NESTING, parseJson, parseLargeJson, validateJson } from './json.ts'
export { stringifyJson } from './json-text.ts'
export { type EncryptedSource, type EncryptedText, keyRotationJob } from './key-rotation.ts'
export { createLogger, type Logger } from './logger.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export type { MultipartPart } from './multipart.ts'
export type { Resources } from './resources.ts'
export { directOrigin } from './respond.ts'
export { type BackgroundWork, runService, type ServiceApp } from './run.ts'
export {
  joinCooperatively,
  mapCooperatively,
  runCooperatively,
  runToEnd,
  withTurnsOf,
} from './run-cooperatively.ts'
export { scheduleMetrics } from './schedule-metrics.ts'
export { serve } from './serve.ts'
export { digestCooperatively, TextBytes } from './text-bytes.ts'
export { compileValidator, type Validator } from './validate.ts'
