/** Ids of components in the definitions of other resources. Pure. */
import { ruleIssue, throwIssues } from '@status-page/contracts'

/** Rejects ids that are not known; `field` is the list that contains them. */
export const validateComponentIds = (
  ids: readonly string[],
  known: ReadonlySet<string>,
  field = 'componentIds',
): void => {
  const unknown = ids.flatMap((id, index) => (known.has(id) ? [] : [`${field}[${index}]`]))
  throwIssues(unknown.map((path) => ruleIssue(path, 'exists')))
}
