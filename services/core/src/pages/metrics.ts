/** Figures that an organization shows: the last value, and a day of them as a line. */
import type { PublicMetric } from '@status-page/contracts'
import { html, type Markup } from './html.ts'
import type { Language } from './language.ts'

const WIDTH = 240
const HEIGHT = 40

export const metricList = (metrics: readonly PublicMetric[], language: Language): Markup | null =>
  metrics.length === 0
    ? null
    : html`<section aria-labelledby="metrics"><h2 id="metrics">${language.say.metrics}</h2>
<ul class="figs">${metrics.map((metric) => figure(metric, language))}</ul></section>`

const figure = (metric: PublicMetric, language: Language): Markup => {
  const { name, lastValue, lastValueAt } = metric
  const said =
    lastValue === null ? language.say.components.no_data : worded(metric, lastValue, language)
  return html`<li class="card fig"><p>${name}</p><p><strong>${said}</strong></p>
${line(metric, language)}
${lastValueAt !== null && html`<p class="sm">${language.time(lastValueAt)}</p>`}</li>
`
}

const worded = ({ unit, decimalPlaces }: PublicMetric, value: number, { locale }: Language) => {
  const digits = { minimumFractionDigits: decimalPlaces, maximumFractionDigits: decimalPlaces }
  const number = new Intl.NumberFormat(locale, digits).format(value)
  return unit === null ? number : `${number} ${unit}`
}

/** Nothing but a line would say nothing to who cannot see it: the lowest and the highest are told. */
const line = (metric: PublicMetric, language: Language): Markup | null => {
  const values = metric.points.map(({ value }) => value)
  if (values.length < 2) return null
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const range = [low, high].map((value) => worded(metric, value, language)).join(' – ')
  return html`<svg class="line" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${metric.name}: ${range}"><path d="${pathOf(values, low, high)}"/></svg>`
}

const pathOf = (values: readonly number[], low: number, high: number): string => {
  const span = high - low || 1
  const steps = values.map((value, index) => {
    const x = ((index * WIDTH) / (values.length - 1)).toFixed(1)
    const y = (HEIGHT - 2 - ((value - low) / span) * (HEIGHT - 4)).toFixed(1)
    return `${x} ${y}`
  })
  return `M${steps.join('L')}`
}
