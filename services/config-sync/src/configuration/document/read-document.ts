/** Reads the text of a document; problems have a line and a column. */
import {
  AppError,
  type ConfigProblem,
  type Issue,
  invalid,
  MAX_ISSUES,
} from '@status-page/contracts'
import { isSecretHeader } from '@status-page/secrets'
import { runCooperatively } from '@status-page/service'
import { variablesOfDefinitions } from '../definitions/desired.ts'
import { referencedVariable } from '../references.ts'
import { variablesIn } from '../typed-config.ts'
import { checkDocument, type DesiredDocument } from './document.ts'
import type { Parser } from './parser.ts'
import type { YamlProblem } from './yaml-reading.ts'

export type LocatedIssue = Issue & { line: number; column: number }

/** Returns plain values; throws 400 with every problem of the YAML. */
export const readValues = async (parser: Parser, text: string): Promise<unknown> => {
  const reading = await parser.read(text)
  if (reading.ok) return reading.value
  throw yamlError(reading.problems)
}

const yamlError = (problems: readonly [YamlProblem, ...YamlProblem[]]): AppError => {
  const [first, ...others] = problems.map(toIssue)
  return invalid(first as LocatedIssue, ...others)
}

const toIssue = ({ path, ...problem }: YamlProblem): LocatedIssue => ({
  field: path === '' ? 'body' : path,
  ...problem,
})

export type CheckedText =
  | { ok: true; document: DesiredDocument }
  | { ok: false; issues: [LocatedIssue, ...LocatedIssue[]]; textReferences: readonly Issue[] }

/**
 * Returns the document, or the problems of its YAML and of its values. Throws 400 if the text has
 * no values that can be validated.
 */
export const checkText = async (parser: Parser, text: string): Promise<CheckedText> => {
  const reading = await parser.read(text)
  if (!reading.ok && !reading.hasValue) throw yamlError(reading.problems)
  const problems = reading.ok ? [] : reading.problems
  const validation = await runCooperatively(checkDocument(reading.value))
  const { textReferences } = validation.ok ? validation.document : validation
  const found = (validation.ok ? [] : validation.issues).filter(
    ({ field }) => !problems.some(({ path }) => isWithin(field, path)),
  )
  const located = await locateIssues(parser, text, found)
  const [first, ...others] = [...problems.map(toIssue), ...located].slice(0, MAX_ISSUES)
  if (first !== undefined) return { ok: false, issues: [first, ...others], textReferences }
  if (validation.ok) return { ok: true, document: validation.document }
  throw new Error('An invalid document has no issues')
}

/** Returns whether an issue follows from the rejected value at the path. */
const isWithin = (field: string, path: string): boolean =>
  path !== '' && field.startsWith(path) && /^(?:$|[.[])/.test(field.slice(path.length))

/** Throws 400 with every problem and its position. */
export const readDocument = async (parser: Parser, text: string): Promise<DesiredDocument> => {
  const checked = await checkText(parser, text)
  if (checked.ok) return checked.document
  throw invalid(...checked.issues)
}

export const validationErrorOf = async (
  parser: Parser,
  text: string,
  issues: readonly [Issue, ...Issue[]],
): Promise<AppError> => {
  const [first, ...others] = await locateIssues(parser, text, issues)
  return invalid(first as LocatedIssue, ...others)
}

/** Returns at most as many issues as an error may list. */
export const locateIssues = async (
  parser: Parser,
  text: string,
  issues: readonly Issue[],
): Promise<LocatedIssue[]> => {
  if (issues.length === 0) return []
  const listed = issues.slice(0, MAX_ISSUES)
  const positions = await parser.locate(
    text,
    listed.map(({ field }) => field),
  )
  return listed.map((issue, index) => ({
    ...issue,
    ...(positions[index] ?? { line: 1, column: 1 }),
  }))
}

/** Returns warnings as sentences with their lines. */
export const formatWarnings = async (
  parser: Parser,
  text: string,
  issues: readonly Issue[],
): Promise<string[]> =>
  (await locateIssues(parser, text, issues)).map(({ message, line }) => `${message} (line ${line})`)

export const toConfigProblem = ({ field, line, column, message }: LocatedIssue): ConfigProblem => ({
  path: field,
  line,
  column,
  message,
})

export const isClientError = (error: unknown): error is AppError =>
  error instanceof AppError && error.status < 500

/** Names of variables in a document. */
export const variableNamesIn = ({
  components,
  integrations,
  definitions,
}: DesiredDocument): ReadonlySet<string> => {
  const headers = components.flatMap(({ fields }) =>
    Object.entries((fields.headers ?? {}) as Record<string, string>)
      .filter(([name]) => isSecretHeader(name))
      .map(([, value]) => referencedVariable(value)),
  )
  return new Set([
    ...headers.filter((name) => name !== null),
    ...integrations.flatMap(({ config }) => variablesIn(config)),
    ...variablesOfDefinitions(definitions),
  ])
}
