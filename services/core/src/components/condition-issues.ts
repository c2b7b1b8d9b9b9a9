/** Validation of check conditions: grammar of each one, and compatibility with its check. */
import {
  type Condition,
  conditionTypesOf,
  type Issue,
  type ProbeKind,
  parseCondition,
} from '@status-page/contracts'

const readsBody: readonly Condition['type'][] = ['JSON_PATH', 'BODY_CONTAINS']

/** First problem of each condition, with its field: `conditions[0].target`. */
export const conditionIssues = (conditions: readonly Condition[], kind: ProbeKind): Issue[] =>
  conditions.flatMap((condition, index): Issue[] => {
    const path = `conditions[${index}]`
    const { type } = condition
    const expectedTypes = conditionTypesOf(kind)
    if (!expectedTypes.includes(type)) {
      const message = `${type} does not apply to a check of kind ${kind}`
      return [{ field: `${path}.type`, message, expected: [...expectedTypes] }]
    }
    const parsed = parseCondition(condition)
    if (parsed.ok) return []
    const { field, message, expected } = parsed
    const issue = { field: `${path}.${field}`, message }
    return [expected === undefined ? issue : { ...issue, expected }]
  })

/** Issues of the conditions that read a body, for a check whose responses have none. */
export const issuesWithoutBody = (conditions: readonly Condition[]): Issue[] =>
  issuesOfTypes(conditions, readsBody, 'requires a body, which HEAD does not have')

/** Issues of the conditions that read a certificate, for a check without TLS. */
export const issuesWithoutCertificate = (conditions: readonly Condition[]): Issue[] =>
  issuesOfTypes(conditions, ['CERTIFICATE_DAYS'], 'requires an https URL')

const issuesOfTypes = (
  conditions: readonly Condition[],
  types: readonly Condition['type'][],
  problem: string,
): Issue[] =>
  conditions.flatMap(({ type }, index): Issue[] =>
    types.includes(type)
      ? [{ field: `conditions[${index}].type`, message: `${type} ${problem}` }]
      : [],
  )
