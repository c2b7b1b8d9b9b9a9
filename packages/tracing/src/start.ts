/** Start of tracing: loads the SDK of OpenTelemetry, which a process without traces never loads. */
import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api'
import { enableSpans } from './index.ts'

export interface TracingOptions {
  service: string
  /** Base URL of the collector, without `/v1/traces`. */
  endpoint: string
  /** Share of traces that are recorded, from 0 to 1. */
  sampleRatio: number
  /** Receives failures of the export. */
  onError(message: string): void
}

export interface Tracing {
  /** Exports the recorded spans. */
  stop(): Promise<void>
}

export const startTracing = async (options: TracingOptions): Promise<Tracing> => {
  const [sdk, { AsyncLocalStorageContextManager }, core, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ])
  const ignore = () => {}
  const logger = { error: options.onError, warn: ignore, info: ignore, debug: ignore }
  diag.setLogger({ ...logger, verbose: ignore }, DiagLogLevel.ERROR)
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces`,
  })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.namespace': 'status-page',
      'service.name': options.service,
    }),
    // The decision of the gateway applies to the whole trace.
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(options.sampleRatio),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  enableSpans()
  return { stop: () => provider.shutdown() }
}
