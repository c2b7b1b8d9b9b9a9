/** Metrics of a page: the last value, and the values of a day, week or month as a line. */
import { type MetricRange, metricRanges, type PublicMetric } from '@status-page/contracts'
import { html, type Markup, renderEach } from '@status-page/html'
import type { PageLanguage } from '../../page-language.ts'
import type { PageUrls } from '../layout/urls.ts'

const WIDTH = 240
const HEIGHT = 40
/** Maximum gap that a line bridges, in steps between means: one late mean is no gap. */
const MAX_STEPS = 2
const MINUTE_MS = 60_000

interface MetricData {
  status: { metrics: readonly PublicMetric[] }
  metricRange: MetricRange
}

export const metricList = (
  { status: { metrics }, metricRange }: MetricData,
  { urls, language }: MetricContext,
): Markup | null => {
  if (metrics.length === 0) return null
  const { texts } = language
  const rangeLink = (range: MetricRange) =>
    html`<a href="${urls.path(range === 'day' ? '' : `?metricRange=${range}`)}#metrics"${range === metricRange && html` aria-current="true"`}>${texts.metricRanges[range]}</a>`
  const maxStepMs = MAX_STEPS * metricRanges[metricRange].stepMinutes * MINUTE_MS
  return html`<section aria-labelledby="metrics"><h2 id="metrics">${texts.metrics}</h2>
<p class="links rng">${(Object.keys(metricRanges) as MetricRange[]).map(rangeLink)}</p>
<ul class="figs">${renderEach(metrics, (metric) => metricItem(metric, maxStepMs, language))}</ul></section>`
}

interface MetricContext {
  urls: Pick<PageUrls, 'path'>
  language: PageLanguage
}

const metricItem = (metric: PublicMetric, maxStepMs: number, language: PageLanguage): Markup => {
  const { name, lastValueAt } = metric
  return html`<li class="card fig"><p><bdi>${name}</bdi></p><p><strong>${formatLastValue(metric, language)}</strong></p>
${line(metric, maxStepMs, language)}
${lastValueAt !== null && html`<p class="sm">${language.time(lastValueAt)}</p>`}</li>
`
}

export const formatLastValue = (metric: PublicMetric, language: PageLanguage): string =>
  metric.lastValue === null
    ? language.texts.components.no_data
    : formatValue(metric, metric.lastValue, language)

const formatValue = (
  { unit, decimalPlaces }: PublicMetric,
  value: number,
  { locale }: PageLanguage,
) => {
  const digits = { minimumFractionDigits: decimalPlaces, maximumFractionDigits: decimalPlaces }
  const number = new Intl.NumberFormat(locale, digits).format(value)
  return unit === null ? number : `${number} ${unit}`
}

/** Line of the values; the lowest and the highest are text, for screen readers. */
const line = (metric: PublicMetric, maxStepMs: number, language: PageLanguage): Markup | null => {
  const { name, points } = metric
  if (points.length < 2) return null
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const { lowest, highest } = language.texts
  const range = [lowest.replace('{}', formatValue(metric, low, language))]
  if (high > low) range.push(highest.replace('{}', formatValue(metric, high, language)))
  return html`<svg class="line" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${language.labelled(name, language.facts(...range))}"><path d="${pathOf(points, { low, high, maxStepMs })}"/></svg>
<p class="f" aria-hidden="true">${range.map((text) => html`<span>${text}</span>`)}</p>`
}

/** Positions points by time; the line is interrupted where means are missing. */
const pathOf = (
  points: PublicMetric['points'],
  { low, high, maxStepMs }: { low: number; high: number; maxStepMs: number },
): string => {
  const times = points.map(({ timestamp }) => Date.parse(timestamp))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const steps = points.map(({ value }, index) => {
    const time = times[index] ?? first
    const x = ((time - first) * WIDTH) / (last - first || 1)
    const y = HEIGHT - 2 - ((value - low) * (HEIGHT - 4)) / (high - low || 1)
    const isBroken = time - (times[index - 1] ?? Number.NEGATIVE_INFINITY) > maxStepMs
    return `${isBroken ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return steps.join('')
}
