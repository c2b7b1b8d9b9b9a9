/** Ids of components in the definitions of other resources. Pure. */
import { throwIssues } from '@status-page/contracts'

/** Rejects ids that are not known; `componentIds[0]` is the field of the first. */
export const validateComponentIds = (ids: readonly string[], known: ReadonlySet<string>): void => {
  const unknown = ids.flatMap((id, index) => (known.has(id) ? [] : [`componentIds[${index}]`]))
  throwIssues(unknown.map((field) => ({ field, message: `${field} does not exist` })))
}
