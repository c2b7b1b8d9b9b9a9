/** Query and thresholds of a metric. */
import { useQuery } from '@tanstack/react-query'
import { errorOf } from '../api/field-errors.ts'
import { Note } from '../kit/note.tsx'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './editor.module.css'
import type { EditorProps } from './editor-props.ts'
import { NumberFields, TextAreaOf, TextFieldOf } from './fields.tsx'
import { integrationsQuery } from './queries.ts'

const MAX_QUERY_LENGTH = 4_000

export const MetricFields = (props: EditorProps) => {
  const { draft, errors, isReadOnly, onChange } = props
  const { editor } = useTexts().componentScreens
  const { can } = useSession()
  const canView = can('INTEGRATIONS_VIEW')
  const { data } = useQuery({ ...integrationsQuery, enabled: canView })
  const integrations = data?.data ?? []
  return (
    <>
      {canView && data !== undefined && integrations.length === 0 && (
        <Note state="work">{editor.noIntegrations}</Note>
      )}
      {integrations.length > 0 && (
        <Select
          label={editor.integrationId}
          options={integrations.map(({ id, name }) => ({ value: id, label: name }))}
          value={draft.integrationId}
          error={errorOf(errors, 'integrationId')}
          isDisabled={isReadOnly}
          onChange={(integrationId) => onChange({ ...draft, integrationId })}
        />
      )}
      {!canView && <TextFieldOf {...props} name="integrationId" />}
      <TextAreaOf {...props} name="query" rows={3} maxLength={MAX_QUERY_LENGTH} />
      <NumberFields {...props} names={['pollingInterval']} />
      <NumberFields
        {...props}
        names={['warningThreshold', 'criticalThreshold']}
        inputMode="decimal"
      />
      <p className={classes.quiet}>{editor.thresholdHint}</p>
    </>
  )
}
