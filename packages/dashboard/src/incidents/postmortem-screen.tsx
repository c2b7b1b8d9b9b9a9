/** Editor of the postmortem of an incident. */
import { ApiError } from '@status-page/client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { NoPermission, Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { MessageEditor } from '../kit/message-editor.tsx'
import { Note } from '../kit/note.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { fill } from '../texts/plural.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { PublicationState } from './facts-cards.tsx'
import { FieldConflicts } from './field-conflicts.tsx'
import classes from './incidents.module.css'
import { useIncidentWrite } from './merged-write.ts'
import { type PostmortemPublication, PublicationActions } from './postmortem-actions.tsx'
import {
  type PostmortemFields,
  postmortemFieldsOf,
  textSections,
  toPostmortemBody,
} from './postmortem-fields.ts'
import { ActionItemsField, TimelineField } from './postmortem-lists.tsx'
import { type IncidentDetail, incidentQuery } from './queries.ts'

const route = getRouteApi('/incidents/$id/postmortem')
const NOT_FOUND = 404

export const PostmortemScreen = () => {
  const { postmortem: texts } = useTexts().incident
  const { can } = useSession()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(incidentQuery(id))
  const isDeleted = error instanceof ApiError && error.status === NOT_FOUND
  if (!can('INCIDENTS_UPDATE')) {
    return (
      <Screen title={texts.title}>
        <NoPermission />
      </Screen>
    )
  }
  if (data === undefined || isDeleted) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return <PostmortemEditor key={id} incident={data} />
}

const PostmortemEditor = ({ incident }: { incident: IncidentDetail }) => {
  const { incident: texts, postmortem: editorTexts } = useTexts()
  const editor = usePostmortemEditor(incident)
  const { form, save, isSaved } = editor
  const errors = useFieldErrors(save.error)
  const hasConflict = form.conflicts.length > 0
  const back = (
    <Link to="/incidents/$id" params={{ id: incident.id }} className={buttonClass('quiet')}>
      {editorTexts.back}
    </Link>
  )
  return (
    <Screen title={fill(editorTexts.of, { title: incident.title })} aside={back}>
      <Card
        title={texts.postmortem.title}
        aside={<PublicationState postmortem={incident.postmortem} />}
      >
        <Form className={classes.form} onSubmit={(event) => event.preventDefault()}>
          <Conflicts editor={editor} />
          <div className={classes.fields} inert={save.isPending}>
            <PostmortemInputs incident={incident} form={form} errors={errors} />
          </div>
          <PublicationActions
            incident={incident}
            isDirty={form.isDirty}
            isBlocked={hasConflict || form.values.summary.trim() === ''}
            isPending={save.isPending}
            onSave={save.mutate}
            onDiscard={form.discard}
          />
          <ProblemNote error={save.error} fieldErrors={errors} fields={textSections} />
          {isSaved && !form.isDirty && <Note state="ok">{texts.saved}</Note>}
        </Form>
      </Card>
    </Screen>
  )
}

interface PostmortemInputsProps {
  incident: IncidentDetail
  form: MergedForm<PostmortemFields>
  errors: FieldErrors
}

const PostmortemInputs = ({ incident, form, errors }: PostmortemInputsProps) => {
  const { postmortem: texts } = useTexts()
  return (
    <>
      {textSections.map((section) => (
        <MessageEditor
          key={section}
          label={texts[section]}
          error={errors[section]}
          value={form.values[section]}
          onChange={(text) => form.set({ [section]: text })}
        />
      ))}
      <TimelineField
        entries={form.values.timeline}
        startedAt={incident.startedAt}
        onChange={(timeline) => form.set({ timeline })}
      />
      <ActionItemsField
        items={form.values.actionItems}
        onChange={(actionItems) => form.set({ actionItems })}
      />
    </>
  )
}

const fieldsOf = ({ postmortem }: IncidentDetail): PostmortemFields =>
  postmortemFieldsOf(postmortem ?? null)

const usePostmortemEditor = (incident: IncidentDetail) => {
  const [isSaved, setSaved] = useState(false)
  const form = useMergedForm(`postmortem.${incident.id}`, fieldsOf(incident))
  const save = useIncidentWrite<PostmortemFields, PostmortemPublication>({
    incident,
    form,
    valuesOf: fieldsOf,
    onSaved: () => setSaved(true),
    write: ({ values, headers }, publication) =>
      api.PUT('/api/v1/incidents/{id}/postmortem', {
        params: { path: { id: incident.id }, header: headers },
        body: { ...toPostmortemBody(values), ...publication },
      }),
  })
  return { form, save, isSaved }
}

const Conflicts = ({ editor }: { editor: ReturnType<typeof usePostmortemEditor> }) => {
  const { postmortem: texts } = useTexts()
  const { time } = useFormats()
  const lineOf = (entry: PostmortemFields['timeline' | 'actionItems'][number]): string =>
    'text' in entry
      ? `${time(entry.at)} ${entry.text}`
      : [entry.title, entry.owner].filter(Boolean).join(' · ')
  const textOf = (
    _field: keyof PostmortemFields,
    value: PostmortemFields[keyof PostmortemFields],
  ) => (typeof value === 'string' ? value : value.map(lineOf).join('\n'))
  return <FieldConflicts form={editor.form} labelOf={(field) => texts[field]} textOf={textOf} />
}
