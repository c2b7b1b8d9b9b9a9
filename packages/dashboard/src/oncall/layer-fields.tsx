/** Layers of a schedule: members, rotation and windows. */
import type { RotationInterval } from '@status-page/contracts'
import { Button } from '../kit/button.tsx'
import { DateTimeField } from '../kit/date-time-field.tsx'
import { TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ChosenList, movedUp } from './chosen-list.tsx'
import { useMemberNames } from './names.ts'
import classes from './on-call.module.css'
import { type LayerDraft, newLayer } from './schedule-draft.ts'
import {
  errorBelow,
  errorsBelow,
  type LayerPartProps,
  type ScheduleFieldsProps,
} from './schedule-form-props.ts'
import { WindowFields } from './window-fields.tsx'

export const LayersFields = ({ draft, errors, onChange }: ScheduleFieldsProps) => {
  const { onCall: texts } = useTexts()
  const { layers } = draft
  const replace = (index: number, layer: LayerDraft) =>
    onChange({ layers: layers.with(index, layer) })
  return (
    <div className={classes.formBody}>
      <p className={classes.quiet}>{texts.layersHint}</p>
      {layers.map((layer, index) => (
        <LayerFields
          key={index}
          layer={layer}
          number={index + 1}
          errors={errorsBelow(errors, `layers[${index}].`)}
          onChange={(changed) => replace(index, changed)}
          onMove={index > 0 ? () => onChange({ layers: movedUp(layers, index) }) : undefined}
          onRemove={
            layers.length > 1 ? () => onChange({ layers: layers.toSpliced(index, 1) }) : undefined
          }
        />
      ))}
      <div>
        <Button onPress={() => onChange({ layers: [...layers, newLayer] })}>
          {texts.addLayer}
        </Button>
      </div>
    </div>
  )
}

interface LayerFieldsProps extends LayerPartProps {
  number: number
  onMove: (() => void) | undefined
  onRemove: (() => void) | undefined
}

const LayerFields = (props: LayerFieldsProps) => {
  const { layer, number, errors, onChange, onMove, onRemove } = props
  const { onCall: texts } = useTexts()
  const { fill } = useFormats()
  const members = useMemberNames()
  const title = layer.name === '' ? fill(texts.layer, { number }) : layer.name
  return (
    <fieldset className={classes.item}>
      <legend>
        <bdi>{title}</bdi>
      </legend>
      <TextField
        label={texts.layerName}
        error={errors.name}
        value={layer.name}
        placeholder={fill(texts.layer, { number })}
        onChange={(name) => onChange({ ...layer, name })}
        maxLength={100}
      />
      <ChosenList
        label={texts.members}
        hint={texts.membersHint}
        addLabel={texts.addMember}
        error={errorBelow(errors, 'userIds')}
        options={members.options}
        nameOf={members.nameOf}
        values={layer.userIds}
        isOrdered
        onChange={(userIds) => onChange({ ...layer, userIds })}
      />
      <RotationFields layer={layer} errors={errors} onChange={onChange} />
      <WindowFields layer={layer} errors={errors} onChange={onChange} />
      <LayerActions title={title} onMove={onMove} onRemove={onRemove} />
    </fieldset>
  )
}

interface LayerActionsProps extends Pick<LayerFieldsProps, 'onMove' | 'onRemove'> {
  title: string
}

const LayerActions = ({ title, onMove, onRemove }: LayerActionsProps) => {
  const { onCall: texts } = useTexts()
  const { labelled } = useFormats()
  return (
    <div className={classes.actions}>
      {onMove !== undefined && (
        <Button aria-label={labelled(texts.lowerPrecedence, title)} onPress={onMove}>
          {texts.lowerPrecedence}
        </Button>
      )}
      {onRemove !== undefined && (
        <Button
          emphasis="danger"
          aria-label={labelled(texts.removeLayer, title)}
          onPress={onRemove}
        >
          {texts.removeLayer}
        </Button>
      )}
    </div>
  )
}

const RotationFields = ({ layer, errors, onChange }: LayerPartProps) => {
  const { onCall: texts } = useTexts()
  const intervals = Object.entries(texts.intervals) as [RotationInterval, string][]
  return (
    <>
      <div className={classes.short}>
        <TextField
          label={texts.rotationLength}
          error={errors.rotationLength}
          value={layer.rotationLength}
          onChange={(rotationLength) => onChange({ ...layer, rotationLength })}
          inputMode="numeric"
        />
        <Select
          label={texts.rotationInterval}
          error={errors.rotationInterval}
          options={intervals.map(([value, label]) => ({ value, label }))}
          value={layer.rotationInterval}
          onChange={(rotationInterval) => onChange({ ...layer, rotationInterval })}
        />
        <TextField
          type="time"
          label={texts.handoffTime}
          error={errors.handoffTime}
          value={layer.handoffTime}
          onChange={(handoffTime) => onChange({ ...layer, handoffTime })}
        />
      </div>
      <div className={classes.short}>
        <DateTimeField
          label={texts.layerStart}
          hint={texts.layerStartHint}
          error={errors.startsAt}
          value={layer.startsAt}
          onChange={(startsAt) => onChange({ ...layer, startsAt })}
        />
        <DateTimeField
          label={texts.layerEnd}
          hint={texts.layerEndHint}
          error={errors.endsAt}
          value={layer.endsAt}
          onChange={(endsAt) => onChange({ ...layer, endsAt })}
        />
      </div>
    </>
  )
}
