/**
 * One trace follows an incident from the request at the gateway through core and NATS to the
 * delivery; a client can neither join nor force a trace.
 */
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { createScenario } from './kit/tenant.ts'
import { startWorld } from './kit/world.ts'

/** The exporter sends a batch every five seconds. */
const EXPORTED_WITHIN_MS = 60_000
const FOREIGN_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

interface Span {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
}

interface ExportedSpans {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeSpans: { spans: Omit<Span, 'service'>[] }[]
  }[]
}

const collector = await httpTarget(t, { body: '{}' })
const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
const world = await startWorld(t, {
  settings: { gateway: settings, core: settings, notifier: settings },
})

const receivedSpans = (): Span[] =>
  collector.requests
    .flatMap(({ body }): ExportedSpans['resourceSpans'] => JSON.parse(body).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const name = resource.attributes.find(({ key }) => key === 'service.name')
      const service = name?.value.stringValue ?? ''
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })))
    })

t.test(
  'the trace of an incident has the spans of three services, each with its parent',
  async (t) => {
    const scenario = await createScenario(t, world, { name: 'traced' })
    scenario.tenant.api.headers.traceparent = `00-${FOREIGN_TRACE}-00f067aa0ba902b7-01`
    await scenario.open('Traced')
    await scenario.allDelivered()
    const find = (name: string) => receivedSpans().filter((span) => span.name === name)
    await eventually(() => find('deliver webhook').length > 0 && find('deliver email').length > 0, {
      timeoutMs: EXPORTED_WITHIN_MS,
    })
    await eventually(() => find('incidents.create').length === 2, { timeoutMs: EXPORTED_WITHIN_MS })
    const [delivery] = find('deliver webhook')
    const byId = new Map(receivedSpans().map((span) => [span.spanId, span]))
    const path: string[] = []
    for (let span = delivery; span !== undefined; span = byId.get(span.parentSpanId ?? '')) {
      path.unshift(`${span.service}: ${span.name}`)
      t.equal(span.traceId, delivery?.traceId)
    }
    t.same(path, [
      'gateway: incidents.create',
      'core: incidents.create',
      'notifier: process incident.created',
      'notifier: deliver webhook',
    ])
    t.notOk(receivedSpans().some(({ traceId }) => traceId === FOREIGN_TRACE))
    t.ok(collector.requests.every(({ url }) => url === '/v1/traces'))
  },
)

t.test('spans contain no address and no text of a tenant', async (t) => {
  const exported = collector.requests.map(({ body }) => body).join('\n')
  for (const text of ['reader@traced.test', 'Traced', 'We are investigating', '/hook']) {
    t.notOk(exported.includes(text), text)
  }
})
