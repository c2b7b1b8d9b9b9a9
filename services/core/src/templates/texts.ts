/** Texts of templates, whose `{{name}}` are variables, in the body of a request. Pure. */
import { type Issue, throwIssues } from '@status-page/contracts'

interface Texts {
  title: string
  message: string
}

type Variables = Readonly<Record<string, string>>

/** Body whose absent texts a template completes. */
interface TextsBody {
  title?: string | undefined
  message?: string | undefined
  variables?: Variables | undefined
}

/**
 * Texts of the body, completed from the template; `limits` are in characters. Variables are
 * required only for texts that are taken from the template.
 */
export const fillTexts = (
  template: Texts,
  body: TextsBody,
  limits: { title: number; message: number },
): Texts => {
  const { variables = {} } = body
  const taken = {
    title: body.title === undefined ? template.title : '',
    message: body.message === undefined ? template.message : '',
  }
  checkVariables(template, taken, variables)
  const filled = {
    title: body.title ?? replaced(taken.title, variables),
    message: body.message ?? replaced(taken.message, variables),
  }
  checkLengths(filled, limits)
  return filled
}

const placeholder = /\{\{([A-Za-z0-9_]{1,64})\}\}/g

const namesIn = (...texts: string[]): Set<string> =>
  new Set(texts.flatMap((text) => [...text.matchAll(placeholder)].map(([, name]) => name ?? '')))

/** Replaces in one pass, so that braces in values are not expanded. */
const replaced = (text: string, variables: Variables): string =>
  text.replace(placeholder, (_whole, name: string) => variables[name] ?? '')

const checkVariables = ({ title, message }: Texts, taken: Texts, variables: Variables): void => {
  const known = namesIn(title, message)
  const needed = [...namesIn(taken.title, taken.message)]
  const missing = needed.filter((name) => !Object.hasOwn(variables, name))
  const unknown = Object.keys(variables).filter((name) => !known.has(name))
  throwIssues([
    ...missing.map((name) => issueOf(name, 'is required by the template')),
    ...unknown.map((name) => issueOf(name, 'is not a variable of the template')),
  ])
}

const issueOf = (name: string, problem: string): Issue => {
  const field = `variables.${name}`
  return { field, message: `${field} ${problem}` }
}

const checkLengths = ({ title, message }: Texts, limits: Record<keyof Texts, number>): void => {
  const lengths = { title: [...title].length, message: [...message].length }
  throwIssues(
    (['title', 'message'] as const)
      .filter((field) => lengths[field] > limits[field])
      .map((field) => ({
        field,
        message: `${field} is longer than ${limits[field]} characters with its variables`,
      })),
  )
}
