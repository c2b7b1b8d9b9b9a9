/** Values of variables, for key rotation. */
import { encryptedSource } from '@status-page/postgres'
import { variables } from '../tables.ts'
import { variableContext } from './rules.ts'

const { id, organizationId, sealedValue } = variables

export const encryptedVariables = encryptedSource({
  name: 'variables',
  table: variables,
  id,
  columns: [sealedValue],
  selected: { id, organizationId, sealedValue },
  textsOf: (row) => [{ sealed: row.sealedValue, context: variableContext(row) }],
})
