/**
 * Spans of distributed traces. A trace begins with a request at the gateway and continues in service
 * calls and in events, by the value of the W3C header `traceparent`. Without `startTracing` no
 * function here does anything.
 */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

export interface SpanOptions {
  name: string
  kind: 'server' | 'client' | 'consumer'
  /** `traceparent` of the sender; null for none. */
  parent: string | null
  /** Names of OpenTelemetry's semantic conventions; no data of tenants. */
  attributes?: Attributes
}

export interface SpanResult {
  attributes?: Attributes
  /** Type of the failure; absent without one. */
  errorType?: string
}

export interface OpenSpan {
  /** Runs work in the span. */
  run<T>(work: () => T): T
  end(result?: SpanResult): void
}

let isEnabled = false

export const isTracing = (): boolean => isEnabled

/** Called by `startTracing`. */
export const enableSpans = (): void => {
  isEnabled = true
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const

/** Starts a span, of a new trace if it has no parent. */
export const startSpan = ({ name, kind, parent, attributes = {} }: SpanOptions): OpenSpan => {
  const sender = contextOf(parent)
  const options = { kind: kinds[kind], attributes }
  const span = trace.getTracer('status-page').startSpan(name, options, sender)
  const spanContext = trace.setSpan(sender, span)
  return {
    run: (work) => context.with(spanContext, work),
    end({ attributes: more = {}, errorType } = {}) {
      span.setAttributes(more)
      if (errorType !== undefined) {
        span.setAttribute('error.type', errorType)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

/**
 * Continues the trace of the sender with a span around the work; without a sender there is none,
 * so that jobs do not begin traces of their own.
 */
export const continueTrace = async <T>(
  options: SpanOptions,
  work: () => Promise<T>,
  resultOf: (result: T) => SpanResult = () => ({}),
): Promise<T> => {
  if (!isEnabled || options.parent === null) return work()
  const span = startSpan(options)
  try {
    const result = await span.run(work)
    span.end(resultOf(result))
    return result
  } catch (error) {
    span.end({ errorType: error instanceof Error ? error.name : 'Error' })
    throw error
  }
}

/** Value of `traceparent` for requests and events of the current span; null without one. */
export const currentTraceparent = (): string | null => traceHeaders().traceparent ?? null

/** Headers of a request to another service; none without a span. */
export const traceHeaders = (): { traceparent?: string } => {
  const headers = {}
  if (isEnabled) propagation.inject(context.active(), headers)
  return headers
}

const contextOf = (traceparent: string | null): Context =>
  traceparent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent })
