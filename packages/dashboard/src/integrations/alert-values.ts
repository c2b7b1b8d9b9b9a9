/** Settings of an alert intake as its form has them. */
import type { Schemas } from '@status-page/client'
import type { AlertIntakeData } from './queries.ts'

type Impact = Schemas['AlertIntake']['routes'][number]['impact']

export interface RouteValues {
  /** One `name=value` per line. */
  labels: string
  componentIds: string[]
  impact: Impact
}

export interface AlertValues {
  titleTemplate: string
  messageTemplate: string
  publishAfterMinutes: string
  autoResolve: boolean
  routes: RouteValues[]
}

export const newRoute: RouteValues = { labels: '', componentIds: [], impact: 'minor' }

export const newAlertValues: AlertValues = {
  titleTemplate: '',
  messageTemplate: '',
  publishAfterMinutes: '',
  autoResolve: false,
  routes: [],
}

export const alertValuesOf = (intake: AlertIntakeData): AlertValues => ({
  titleTemplate: intake.titleTemplate,
  messageTemplate: intake.messageTemplate,
  publishAfterMinutes: String(intake.publishAfterMinutes ?? ''),
  autoResolve: intake.autoResolve,
  routes: intake.routes.map(({ matchLabels, componentIds, impact }) => ({
    labels: Object.entries(matchLabels)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    componentIds,
    impact,
  })),
})

/** An empty title is left to its default; a text that is no number to the service. */
export const alertBodyOf = (values: AlertValues) => {
  const { titleTemplate, messageTemplate, publishAfterMinutes, autoResolve, routes } = values
  const minutes = publishAfterMinutes.trim()
  return {
    ...(titleTemplate.trim() === '' ? {} : { titleTemplate }),
    messageTemplate,
    autoResolve,
    publishAfterMinutes: minutes === '' ? null : numberOf(minutes),
    routes: routes.map(({ labels, componentIds, impact }) => ({
      matchLabels: labelsOf(labels),
      componentIds,
      impact,
    })),
  }
}

const numberOf = (text: string): number =>
  Number.isNaN(Number(text)) ? (text as never) : Number(text)

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => {
        const cut = line.indexOf('=')
        return cut < 0 ? [line, ''] : [line.slice(0, cut).trim(), line.slice(cut + 1).trim()]
      }),
  )
