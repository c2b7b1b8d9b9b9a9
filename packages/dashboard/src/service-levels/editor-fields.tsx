/** Fields of a service level, in three cards. */
import { CheckboxGroup, Label } from 'react-aria-components'
import { downtimeStatuses, slaAggregations, slaWindowTypes } from '../api/contract.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { ComponentPicker } from '../components/component-picker.tsx'
import { Card } from '../kit/card.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { NumberField } from '../kit/number-field.tsx'
import { Select } from '../kit/select.tsx'
import { ZoneField } from '../maintenances/zone-field.tsx'
import { useTexts } from '../texts/texts.tsx'
import { errorAt, type ServiceLevelValues } from './draft.ts'
import classes from './service-levels.module.css'

interface EditorFieldsProps {
  values: ServiceLevelValues
  errors: FieldErrors
  set(patch: Partial<ServiceLevelValues>): void
}

export const EditorFields = (props: EditorFieldsProps) => (
  <>
    <TargetCard {...props} />
    <DowntimeCard {...props} />
    <IncidentsCard {...props} />
  </>
)

const MAX_NAME = 100
const MAX_DESCRIPTION = 500
const MAX_DAYS = 366

const TargetCard = ({ values, errors, set }: EditorFieldsProps) => {
  const { form: texts } = useTexts().serviceLevel
  return (
    <Card title={texts.target}>
      <div className={classes.fields}>
        <TextField
          label={texts.name}
          error={errorAt(errors, 'name')}
          value={values.name}
          onChange={(name) => set({ name })}
          maxLength={MAX_NAME}
          isRequired
        />
        <TextAreaField
          label={texts.description}
          error={errorAt(errors, 'description')}
          rows={2}
          maxLength={MAX_DESCRIPTION}
          value={values.description ?? ''}
          onChange={(description) => set({ description: description === '' ? null : description })}
        />
        <ComponentPicker
          label={texts.components}
          none={texts.noComponents}
          listed={[]}
          ids={values.componentIds}
          error={errorAt(errors, 'componentIds')}
          onChange={(componentIds) => set({ componentIds })}
        />
        <WindowFields values={values} errors={errors} set={set} />
        <RiskFields values={values} errors={errors} set={set} />
      </div>
    </Card>
  )
}

const WindowFields = ({ values, errors, set }: EditorFieldsProps) => {
  const { form: texts, windows } = useTexts().serviceLevel
  return (
    <>
      <div className={classes.short}>
        <NumberField
          label={texts.targetPercentage}
          error={errorAt(errors, 'targetPercentage')}
          kind="decimal"
          value={values.targetPercentage}
          onChange={(targetPercentage) => set({ targetPercentage })}
        />
        <Select
          label={texts.windowType}
          options={slaWindowTypes.map((value) => ({ value, label: windows[value] }))}
          value={values.windowType}
          onChange={(windowType) => set({ windowType })}
        />
        {values.windowType === 'rolling' && (
          <NumberField
            label={texts.windowDays}
            error={errorAt(errors, 'windowDays')}
            kind="integer"
            min={1}
            max={MAX_DAYS}
            value={values.windowDays}
            onChange={(windowDays) => set({ windowDays })}
          />
        )}
      </div>
      {values.windowType !== 'rolling' && (
        <ZoneField
          value={values.timezone}
          error={errorAt(errors, 'timezone')}
          onChange={(timezone) => set({ timezone })}
        />
      )}
    </>
  )
}

const RiskFields = ({ values, errors, set }: EditorFieldsProps) => {
  const { form: texts } = useTexts().serviceLevel
  return (
    <>
      <div className={classes.short}>
        <NumberField
          label={texts.atRiskThreshold}
          hint={texts.atRiskHint}
          error={errorAt(errors, 'atRiskThreshold')}
          kind="decimal"
          value={values.atRiskThreshold}
          onChange={(atRiskThreshold) => set({ atRiskThreshold })}
        />
      </div>
      <Checkbox
        label={texts.isEnabled}
        hint={texts.enabledHint}
        isSelected={values.isEnabled}
        onChange={(isEnabled) => set({ isEnabled })}
      />
    </>
  )
}

const DowntimeCard = ({ values, errors, set }: EditorFieldsProps) => {
  const { form: texts } = useTexts().serviceLevel
  return (
    <Card title={texts.downtime}>
      <div className={classes.fields}>
        <StatusesField values={values} errors={errors} set={set} />
        <div className={classes.short}>
          <Select
            label={texts.aggregation}
            options={slaAggregations.map((value) => ({ value, label: texts.aggregations[value] }))}
            value={values.aggregation}
            onChange={(aggregation) => set({ aggregation })}
          />
          <NumberField
            label={texts.partialWeight}
            error={errorAt(errors, 'partialWeight')}
            kind="decimal"
            value={values.partialWeight}
            onChange={(partialWeight) => set({ partialWeight })}
          />
          <NumberField
            label={texts.minOutageSeconds}
            error={errorAt(errors, 'minOutageSeconds')}
            kind="integer"
            value={values.minOutageSeconds}
            onChange={(minOutageSeconds) => set({ minOutageSeconds })}
          />
        </div>
        <Checkbox
          label={texts.excludeMaintenance}
          hint={texts.excludeHint}
          isSelected={values.excludeMaintenance}
          onChange={(excludeMaintenance) => set({ excludeMaintenance })}
        />
      </div>
    </Card>
  )
}

const StatusesField = ({ values, errors, set }: EditorFieldsProps) => {
  const { serviceLevel, components: statuses } = useTexts()
  const { form: texts } = serviceLevel
  const error = errorAt(errors, 'downtimeStatuses')
  return (
    <CheckboxGroup
      className={classes.choice}
      value={values.downtimeStatuses}
      onChange={(chosen) =>
        set({ downtimeStatuses: downtimeStatuses.filter((one) => chosen.includes(one)) })
      }
    >
      <Label className={classes.choiceLabel}>{texts.downtimeStatuses}</Label>
      <div className={classes.choices}>
        {downtimeStatuses.map((status) => (
          <Checkbox key={status} value={status} label={statuses[status]} />
        ))}
      </div>
      {error !== undefined && <p className={classes.error}>{error}</p>}
    </CheckboxGroup>
  )
}

const IncidentsCard = ({ values, errors, set }: EditorFieldsProps) => {
  const { form: texts } = useTexts().serviceLevel
  return (
    <Card title={texts.incidents}>
      <div className={classes.fields}>
        <p className={classes.quiet}>{texts.incidentsHint}</p>
        <div className={classes.short}>
          <NumberField
            label={texts.responseTargetMinutes}
            error={errorAt(errors, 'responseTargetMinutes')}
            kind="integer"
            value={values.responseTargetMinutes}
            onEmpty={() => set({ responseTargetMinutes: null })}
            onChange={(responseTargetMinutes) => set({ responseTargetMinutes })}
          />
          <NumberField
            label={texts.resolutionTargetMinutes}
            error={errorAt(errors, 'resolutionTargetMinutes')}
            kind="integer"
            value={values.resolutionTargetMinutes}
            onEmpty={() => set({ resolutionTargetMinutes: null })}
            onChange={(resolutionTargetMinutes) => set({ resolutionTargetMinutes })}
          />
        </div>
      </div>
    </Card>
  )
}
