/** Names and values of the fields of a schedule, for a conflict between two editors. */
import { useFormats, useTexts } from '../texts/texts.tsx'
import { useMemberNames } from './names.ts'
import type { LayerDraft, ScheduleDraft, StepDraft } from './schedule-draft.ts'

type FieldTexts = {
  [Field in keyof ScheduleDraft]: (value: ScheduleDraft[Field]) => string
}

export const useFieldTexts = (targetName: (target: string) => string) => {
  const { onCall: texts } = useTexts()
  const { labelled, list, plural } = useFormats()
  const members = useMemberNames()
  const layerText = ({ name, userIds }: LayerDraft) =>
    labelled(name, list(userIds.map(members.nameOf)))
  const stepText = ({ delayMinutes, targets }: StepDraft) =>
    labelled(plural(texts.afterMinutes, Number(delayMinutes)), list(targets.map(targetName)))
  const labels: Record<keyof ScheduleDraft, string> = {
    name: texts.name,
    description: texts.description,
    timezone: texts.timezone,
    isEnabled: texts.isEnabled,
    componentIds: texts.components,
    events: texts.events,
    layers: texts.layers,
    escalation: texts.escalation,
  }
  const fieldTexts: FieldTexts = {
    name: (name) => name,
    description: (description) => description,
    timezone: (timezone) => timezone,
    isEnabled: (isEnabled) => (isEnabled ? texts.enabled : texts.disabled),
    componentIds: (ids) => plural(texts.componentCount, ids.length),
    events: (events) => list(events.map((event) => texts.eventNames[event])),
    layers: (layers) => layers.map(layerText).join('\n'),
    escalation: (steps) => steps.map(stepText).join('\n'),
  }
  const textOf = (field: keyof ScheduleDraft, value: ScheduleDraft[keyof ScheduleDraft]) =>
    (fieldTexts[field] as (given: typeof value) => string)(value)
  return { labels, textOf }
}
