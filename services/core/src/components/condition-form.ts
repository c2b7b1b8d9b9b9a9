/** Whether conditions can be evaluated at all, each by its grammar and all with the method. */
import { type Condition, type Issue, parseCondition } from '@status-page/contracts'

const readsBody: readonly Condition['type'][] = ['JSON_PATH', 'BODY_CONTAINS']

/** The first problem of each condition, naming its place: `conditions[0].target`. */
export const conditionIssues = (conditions: readonly Condition[], method: string): Issue[] =>
  conditions.flatMap((condition, index): Issue[] => {
    const place = `conditions[${index}]`
    const { type } = condition
    if (method === 'HEAD' && readsBody.includes(type)) {
      return [
        { field: `${place}.type`, message: `${type} requires a body, which HEAD does not have` },
      ]
    }
    const parsed = parseCondition(condition)
    if (parsed.ok) return []
    const { field, message, expected } = parsed
    const issue = { field: `${place}.${field}`, message }
    return [expected === undefined ? issue : { ...issue, expected }]
  })
