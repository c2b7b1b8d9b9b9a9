/** Settings of a heartbeat: the expected pings, and the limits of runs. */
import { errorOf } from '../api/field-errors.ts'
import { TextField } from '../kit/field.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { TimeZoneField } from '../kit/time-zone-field.tsx'
import { browserZone } from '../kit/zoned-time.ts'
import { useTexts } from '../texts/texts.tsx'
import { NEW_PERIOD_SECONDS } from './check-kind-choice.tsx'
import classes from './editor.module.css'
import type { EditorProps } from './editor-props.ts'
import { NumberFields, TextFieldOf } from './fields.tsx'

const MAX_CRON_LENGTH = 100

type Rhythm = 'period' | 'cron'

export const HeartbeatFields = (props: EditorProps) => {
  const { draft, isReadOnly, onChange } = props
  const { componentScreens, heartbeats } = useTexts()
  const { settings } = heartbeats
  const chooseRhythm = (rhythm: Rhythm) =>
    onChange(
      rhythm === 'cron'
        ? { ...draft, schedule: { cron: '', timezone: browserZone() }, periodSeconds: '' }
        : { ...draft, schedule: null, periodSeconds: NEW_PERIOD_SECONDS },
    )
  return (
    <>
      <div>
        <Segmented<Rhythm>
          label={componentScreens.editor.schedule}
          options={(['period', 'cron'] as const).map((value) => ({
            value,
            label: settings.rhythms[value],
          }))}
          value={draft.schedule === null ? 'period' : 'cron'}
          isDisabled={isReadOnly}
          onChange={chooseRhythm}
        />
      </div>
      {draft.schedule === null ? (
        <TextFieldOf {...props} name="periodSeconds" inputMode="numeric" isRequired />
      ) : (
        <CronFields {...props} />
      )}
      <TextFieldOf
        {...props}
        name="startGraceSeconds"
        inputMode="numeric"
        hint={settings.startGraceHint}
      />
      <NumberFields {...props} names={['maxRunSeconds', 'minRunSeconds']} />
      <p className={classes.quiet}>{settings.runHint}</p>
    </>
  )
}

const CronFields = ({ draft, errors, isReadOnly, onChange }: EditorProps) => {
  const { settings } = useTexts().heartbeats
  const { cron = '', timezone = '' } = draft.schedule ?? {}
  const timezoneError = errors['schedule.timezone']
  return (
    <>
      <TextField
        label={settings.cron}
        hint={settings.cronHint}
        error={timezoneError === undefined ? errorOf(errors, 'schedule') : errors['schedule.cron']}
        placeholder="30 2 * * *"
        value={cron}
        onChange={(value) => onChange({ ...draft, schedule: { cron: value, timezone } })}
        maxLength={MAX_CRON_LENGTH}
        isReadOnly={isReadOnly}
        isRequired
        dir="ltr"
        spellCheck="false"
      />
      <TimeZoneField
        label={settings.timezone}
        value={timezone}
        error={timezoneError}
        isDisabled={isReadOnly}
        onChange={(value) => onChange({ ...draft, schedule: { cron, timezone: value } })}
      />
    </>
  )
}
