/** Time zone of a form, and its default: the one of the oldest status page. */
import { useQuery } from '@tanstack/react-query'
import { statusPagesQuery } from '../api/queries.ts'
import { LazyComboBox } from '../kit/lazy-combo-box.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { browserTimeZone } from './draft.ts'

/** Null until it is known. */
export const useDefaultTimeZone = (): string | null => {
  const { can } = useSession()
  const isEnabled = can('STATUS_PAGES_VIEW')
  const { data, isPending } = useQuery({ ...statusPagesQuery, enabled: isEnabled })
  if (isEnabled && isPending) return null
  return data?.data[0]?.timezone ?? browserTimeZone
}

interface ZoneFieldProps {
  value: string
  error?: string
  isDisabled?: boolean
  onChange(timeZone: string): void
}

export const ZoneField = ({ value, error, isDisabled, onChange }: ZoneFieldProps) => {
  const { form: texts } = useTexts().maintenance
  const zones = new Set(['UTC', browserTimeZone, value, ...Intl.supportedValuesOf('timeZone')])
  return (
    <LazyComboBox
      label={texts.timeZone}
      options={[...zones].map((zone) => ({ value: zone, label: zone }))}
      value={value}
      error={error}
      isDisabled={isDisabled}
      onChange={onChange}
    />
  )
}
