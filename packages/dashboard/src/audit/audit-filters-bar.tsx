/** Filters above the audit log. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { membersQuery } from '../api/queries.ts'
import { TextField } from '../kit/field.tsx'
import { Filters } from '../kit/filters.tsx'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { AuditFilters } from './filters.ts'

/** Pause in the input after which the log is read. */
const READ_AFTER_MS = 400
const ANY = ''

interface AuditFiltersBarProps {
  filters: AuditFilters
  onChange(patch: AuditFilters): void
  onReset(): void
}

export const AuditFiltersBar = ({ filters, onChange, onReset }: AuditFiltersBarProps) => {
  const { audit: texts } = useTexts().organizationScreens
  return (
    <Filters filters={filters} onReset={onReset}>
      <TextFilter
        label={texts.action}
        placeholder={texts.actionHint}
        value={filters.action}
        onChange={(action) => onChange({ action })}
      />
      <TextFilter
        label={texts.entityType}
        value={filters.entityType}
        onChange={(entityType) => onChange({ entityType })}
      />
      <UserFilter user={filters.user} onChange={(user) => onChange({ user })} />
      <TextField
        type="date"
        label={texts.from}
        value={filters.from ?? ''}
        onChange={(from) => onChange({ from: from || undefined })}
      />
      <TextField
        type="date"
        label={texts.to}
        value={filters.to ?? ''}
        onChange={(to) => onChange({ to: to || undefined })}
      />
    </Filters>
  )
}

interface TextFilterProps {
  label: string
  placeholder?: string
  value: string | undefined
  onChange(value: string | undefined): void
}

/** Text that applies after a pause. */
const TextFilter = ({ label, placeholder, value = '', onChange }: TextFilterProps) => {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text.trim() || undefined), READ_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <TextField
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={setText}
      maxLength={64}
      spellCheck="false"
    />
  )
}

interface UserFilterProps {
  user: string | undefined
  onChange(user: string | undefined): void
}

const UserFilter = ({ user = ANY, onChange }: UserFilterProps) => {
  const { audit: texts } = useTexts().organizationScreens
  const { can } = useSession()
  const { data: members } = useQuery({ ...membersQuery, enabled: can('ORGANIZATION_VIEW') })
  const options = (members?.data ?? []).map(({ userId, name }) => ({ value: userId, label: name }))
  return (
    <Select
      label={texts.user}
      options={[{ value: ANY, label: texts.anyUser }, ...options]}
      value={user}
      onChange={(chosen) => onChange(chosen === ANY ? undefined : chosen)}
    />
  )
}
