/** Validation of check conditions: grammar of each one, and compatibility with the method. */
import { type Condition, type Issue, parseCondition } from '@status-page/contracts'

const readsBody: readonly Condition['type'][] = ['JSON_PATH', 'BODY_CONTAINS']

/** First problem of each condition, with its field: `conditions[0].target`. */
export const conditionIssues = (conditions: readonly Condition[], method: string): Issue[] =>
  conditions.flatMap((condition, index): Issue[] => {
    const path = `conditions[${index}]`
    const { type } = condition
    if (method === 'HEAD' && readsBody.includes(type)) {
      return [
        { field: `${path}.type`, message: `${type} requires a body, which HEAD does not have` },
      ]
    }
    const parsed = parseCondition(condition)
    if (parsed.ok) return []
    const { field, message, expected } = parsed
    const issue = { field: `${path}.${field}`, message }
    return [expected === undefined ? issue : { ...issue, expected }]
  })
