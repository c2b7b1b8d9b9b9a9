/** A span for each request of an operation. Without tracing no hook exists. */
import { isTracing, type OpenSpan, startSpan } from '@status-page/tracing'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Span of the request; null without tracing or for a path that is no operation. */
    span: OpenSpan | null
  }
}

export interface TraceOptions {
  /**
   * `public` starts a trace per request: clients must be able neither to force a trace to be
   * recorded nor to write into that of another request.
   */
  exposure: 'internal' | 'public'
}

export const traceRequests = (fastify: FastifyInstance, { exposure }: TraceOptions): void => {
  if (!isTracing()) return
  fastify.decorateRequest('span', null)
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { operation } = request
    const { traceparent } = request.headers
    if (operation !== undefined) {
      request.span = startSpan({
        name: operation.id,
        kind: 'server',
        parent: exposure === 'internal' && typeof traceparent === 'string' ? traceparent : null,
        attributes: {
          'http.request.method': request.method,
          'http.route': request.routeOptions.url ?? '',
          'request.id': request.id,
        },
      })
    }
    done()
  })
  // After the body was read: its events run outside of the span's asynchronous context.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.span === null) done()
    else request.span.run(done)
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    request.span?.end({
      attributes: { 'http.response.status_code': statusCode },
      ...(statusCode >= 500 ? { errorType: String(statusCode) } : {}),
    })
    done()
  })
}
