/** Rules of variables. No reply, audit entry or event contains a value. */
import {
  type AuditDraft,
  draftAudit,
  invalid,
  MAX_VARIABLES,
  REDACTED,
  type Variable,
} from '@status-page/contracts'
import type { VariableRow } from '../tables.ts'

export const presentVariable = ({ name, createdAt, updatedAt }: VariableRow): Variable => ({
  name,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

/** Encryption context of a variable. */
export const variableContext = ({
  organizationId,
  id,
}: Pick<VariableRow, 'organizationId' | 'id'>) => ({
  organizationId,
  purpose: 'variable' as const,
  recordId: id,
})

export const setVariable = (input: {
  stored: VariableRow | null
  /** Number of variables of the organization. */
  others: number
  fresh: Pick<VariableRow, 'organizationId' | 'id' | 'name'>
  seal: (row: Pick<VariableRow, 'organizationId' | 'id'>) => string
  now: Date
}): VariableRow => {
  const { stored, others, fresh, seal, now } = input
  if (stored !== null) return { ...stored, sealedValue: seal(stored), updatedAt: now }
  if (others >= MAX_VARIABLES) {
    const message = `An organization can have at most ${MAX_VARIABLES} variables`
    throw invalid({ field: 'name', message })
  }
  return { ...fresh, sealedValue: seal(fresh), createdAt: now, updatedAt: now }
}

export const auditVariable = (verb: 'create' | 'update' | 'delete', row: VariableRow): AuditDraft =>
  draftAudit(`variable.${verb}`, row, changesOf[verb])

const changesOf = {
  create: { value: { to: REDACTED } },
  update: { value: { from: REDACTED, to: REDACTED } },
  delete: {},
}
