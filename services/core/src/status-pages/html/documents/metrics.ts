/** Metrics of a page: the last value, and the values of a day as a line. */
import type { PublicMetric } from '@status-page/contracts'
import { html, type Markup, renderEach } from '@status-page/html'
import type { PageLanguage } from '../../locales/language.ts'

const WIDTH = 240
const HEIGHT = 40
/** Maximum gap that a line bridges. Means are 15 minutes apart, so one late mean is no gap. */
const MAX_STEP_MS = 30 * 60_000

export const metricList = (
  metrics: readonly PublicMetric[],
  language: PageLanguage,
): Markup | null =>
  metrics.length === 0
    ? null
    : html`<section aria-labelledby="metrics"><h2 id="metrics">${language.texts.metrics}</h2>
<ul class="figs">${renderEach(metrics, (metric) => metricItem(metric, language))}</ul></section>`

const metricItem = (metric: PublicMetric, language: PageLanguage): Markup => {
  const { name, lastValueAt } = metric
  return html`<li class="card fig"><p><bdi>${name}</bdi></p><p><strong>${formatLastValue(metric, language)}</strong></p>
${line(metric, language)}
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

/** Line of a day's values; the lowest and the highest are text, for screen readers. */
const line = (metric: PublicMetric, language: PageLanguage): Markup | null => {
  const { name, points } = metric
  if (points.length < 2) return null
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const { lowest, highest } = language.texts
  const range = [lowest.replace('{}', formatValue(metric, low, language))]
  if (high > low) range.push(highest.replace('{}', formatValue(metric, high, language)))
  return html`<svg class="line" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${name}: ${range.join('; ')}"><path d="${pathOf(points, low, high)}"/></svg>
<p class="f" aria-hidden="true">${range.map((text) => html`<span>${text}</span>`)}</p>`
}

/** Positions points by time; the line is interrupted where means are missing. */
const pathOf = (points: PublicMetric['points'], low: number, high: number): string => {
  const times = points.map(({ timestamp }) => Date.parse(timestamp))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const steps = points.map(({ value }, index) => {
    const time = times[index] ?? first
    const x = ((time - first) * WIDTH) / (last - first || 1)
    const y = HEIGHT - 2 - ((value - low) * (HEIGHT - 4)) / (high - low || 1)
    const isBroken = time - (times[index - 1] ?? Number.NEGATIVE_INFINITY) > MAX_STEP_MS
    return `${isBroken ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return steps.join('')
}
