/** Graph over time, drawn by uPlot in the colours of the theme. */
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import { type Chart, isolatedOf, type Series, type Threshold, withTimeRange } from './series.ts'

const HEIGHT_PX = 240
const DAY_SECONDS = 86_400
const SECOND_MS = 1_000

/** Tokens of the lines, in their order; further lines begin again. */
const lineColours = ['--link', '--part', '--ok', '--slow', '--work', '--down']
const thresholdColours: Record<Threshold, string> = { warning: '--slow', critical: '--down' }

export interface TimeSeriesChartProps {
  chart: Chart
  /** Summary for screen readers. */
  label: string
  /** Text of a value, with the placeholder `{value}`. */
  unit: string
}

/** Room for half a label at the end of the axis of time. */
const END_PADDING_PX = 32

export const TimeSeriesChart = ({ chart: data, label, unit }: TimeSeriesChartProps) => {
  const container = useRef<HTMLDivElement>(null)
  const { formatLocale: locale } = useLanguage()
  const { fill, number } = useFormats()
  const { responseTimes: texts } = useTexts().measurements
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const chart = withTimeRange(data)
    const formats = {
      timeLabel: texts.time,
      ...timeFormatsOf(chart, locale),
      value: (value: number) => fill(unit, { value: number(value) }),
    }
    const values: uPlot.AlignedData = [chart.times, ...chart.series.map((one) => one.values)]
    let plot = new uPlot(optionsOf(element, chart, formats), values, element)
    const redraw = () => {
      plot.destroy()
      plot = new uPlot(optionsOf(element, chart, formats), values, element)
    }
    const resizes = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    )
    resizes.observe(element)
    const stopTheme = onThemeChange(redraw)
    return () => {
      stopTheme()
      resizes.disconnect()
      plot.destroy()
    }
  }, [data, unit, locale, fill, number, texts])
  return <div ref={container} className={classes.plot} role="img" aria-label={label} dir="ltr" />
}

interface ChartFormats {
  timeLabel: string
  time(seconds: number): string
  /** Label of the axis. */
  tick(seconds: number): string
  value(value: number): string
}

const optionsOf = (element: HTMLElement, chart: Chart, formats: ChartFormats): uPlot.Options => {
  const styles = getComputedStyle(element)
  const colour = (token: string) => styles.getPropertyValue(token)
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    font: `12px ${styles.fontFamily}`,
  }
  const textOf: uPlot.Series['value'] = (_plot, value) =>
    value === null ? '–' : formats.value(value)
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    series: [
      {
        label: formats.timeLabel,
        value: (_plot, seconds) => (seconds === null ? '' : formats.time(seconds)),
      },
      ...chart.series.map((one, index) => {
        const stroke = colour(colourOf(one, index))
        return { ...lineOf(one, index), label: one.label, stroke, value: textOf }
      }),
    ],
    axes: [
      {
        ...axis,
        space: 80,
        incrs: tickIncrements,
        values: (_plot, times) => times.map(formats.tick),
      },
      { ...axis, size: widthIn(axis.font), values: (_plot, values) => values.map(formats.value) },
    ],
    scales: {
      y: { range: { min: { pad: 0.1, soft: 0, mode: 1 }, max: { pad: 0.1 } } },
    },
    padding: [null, END_PADDING_PX, null, null],
    legend: {
      live: true,
      markers: { dash: (_plot, index) => (isRepeated(index - 1) ? 'dashed' : 'solid') },
    },
    cursor: { drag: { x: false, y: false } },
  }
}

const colourOf = ({ threshold }: Series, index: number): string =>
  threshold === undefined
    ? (lineColours[index % lineColours.length] ?? '--link')
    : thresholdColours[threshold]

const lineOf = ({ threshold, values }: Series, index: number): uPlot.Series => {
  if (threshold !== undefined) return { dash: [6, 4], points: { show: false } }
  const isolated = isolatedOf(values)
  return {
    width: 1.5,
    spanGaps: false,
    dash: isRepeated(index) ? [3, 3] : undefined,
    // A line begins with its second point, so that a point without neighbours needs a mark.
    points: { filter: (_plot, _index, show) => (show ? null : isolated) },
  }
}

/** Whether an earlier line has the same colour. */
const isRepeated = (index: number): boolean => index >= lineColours.length

const TICK_PX = 16

/** Width of the axis of values: that of its longest label. */
const widthIn =
  (font: string): uPlot.Axis.Size =>
  ({ ctx }, labels) => {
    ctx.font = font
    const widths = (labels ?? []).map((label) => ctx.measureText(label).width)
    return Math.ceil(Math.max(0, ...widths)) + TICK_PX
  }

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 3_600

/** Seconds between labels of the axis of time: at least a minute, because labels show minutes. */
const tickIncrements = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_SECONDS),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR_SECONDS),
  ...[1, 2, 3, 5, 7, 10, 15, 30].map((days) => days * DAY_SECONDS),
]

const hour = { hour: 'numeric', minute: '2-digit' } as const
const day = { day: 'numeric', month: 'short' } as const

/** Formats of times: hours within a day; otherwise the axis has the date at midnight. */
const timeFormatsOf = ({ times }: Chart, locale: string): Pick<ChartFormats, 'time' | 'tick'> => {
  const formatIn = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, options)
    return (seconds: number) => format.format(new Date(seconds * SECOND_MS))
  }
  const [hours, days] = [formatIn(hour), formatIn(day)]
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  if (span <= DAY_SECONDS) return { time: hours, tick: hours }
  const isMidnight = (seconds: number) => {
    const time = new Date(seconds * SECOND_MS)
    return time.getHours() + time.getMinutes() === 0
  }
  const tick = (seconds: number) => (isMidnight(seconds) ? days : hours)(seconds)
  return { time: formatIn({ ...day, ...hour }), tick }
}

/** Calls `onChange` when the user or the system changes between light and dark mode. */
const onThemeChange = (onChange: () => void): (() => void) => {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const choice = new MutationObserver(onChange)
  choice.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  system.addEventListener('change', onChange)
  return () => {
    choice.disconnect()
    system.removeEventListener('change', onChange)
  }
}
