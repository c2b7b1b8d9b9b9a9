/** Designer of a status page: its settings next to a preview of the unsaved state. */
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { useMergedWrite } from '../app/merged-write.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { UnsavedChangesDialog } from '../components/unsaved-changes-dialog.tsx'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Note } from '../kit/note.tsx'
import { FormBar, Skeleton } from '../kit/screen.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { lazyPart } from '../modules/lazy-part.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { AccessSection, type AccessSectionProps } from './access-section.tsx'
import classes from './designer.module.css'
import {
  draftFieldOf,
  draftOf,
  type PageDraft,
  type PageField,
  type PageResource,
  patchOf,
} from './page-draft.ts'
import { PageFrame } from './page-frame.tsx'
import { statusPageQuery } from './queries.ts'
import {
  BasicsSection,
  HistorySection,
  LanguageSection,
  LookSection,
  SubscriptionsSection,
} from './sections.tsx'
import { useFieldTexts } from './use-field-texts.ts'
import { type Preview, usePreview } from './use-preview.ts'

/** Drag and drop and the search of components are loaded while the rest is displayed. */
const ComponentsSection = lazyPart(
  async () => (await import('./components-section.tsx')).ComponentsSection,
  () => <Skeleton rows={4} />,
)
const LivePreview = lazyPart(
  async () => (await import('./live-preview.tsx')).LivePreview,
  () => <Skeleton rows={8} />,
)

type Part = 'settings' | 'preview'

export const DesignScreen = () => {
  const { id } = useParams({ from: '/pages/$id' })
  return <PageFrame key={id} id={id} view={DesignView} />
}

const DesignView = ({ page }: { page: PageResource }) => {
  const { preview: texts } = useTexts().statusPages
  const { can } = useSession()
  const canEdit = can('STATUS_PAGES_UPDATE')
  const form = useMergedForm(`status-page.${page.id}`, draftOf(page))
  const preview = usePreview(page.id, form.values, canEdit)
  const [part, setPart] = useState<Part>('settings')
  if (!canEdit) return <DesignForm page={page} form={form} preview={preview} isReadOnly />
  return (
    <div className={classes.designer} data-part={part}>
      <div className={classes.parts}>
        <Segmented<Part>
          label={texts.part}
          options={[
            { value: 'settings', label: texts.settings },
            { value: 'preview', label: texts.title },
          ]}
          value={part}
          onChange={setPart}
        />
      </div>
      <DesignForm page={page} form={form} preview={preview} />
      <LivePreview
        mode={form.values.mode}
        html={preview.html}
        error={preview.error}
        isInvalid={preview.isInvalid}
        isDirty={form.isDirty}
      />
    </div>
  )
}

interface DesignFormProps {
  page: PageResource
  form: MergedForm<PageDraft>
  preview: Preview
  isReadOnly?: boolean
}

const DesignForm = ({ page, form, preview, isReadOnly = false }: DesignFormProps) => {
  // Not part of the draft, which the browser stores.
  const [password, setPassword] = useState('')
  const save = useSavePage(page, form, () => setPassword(''))
  const errors = { ...preview.errors, ...useFieldErrors(save.error, { uniqueField: 'slug' }) }
  const { labels, textOf } = useFieldTexts()
  const isDirty = form.isDirty || password !== ''
  return (
    <Form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate({ password })
      }}
    >
      <FieldConflicts form={form} labelOf={(field) => labels[field]} textOf={textOf} />
      <DesignSections
        values={form.values}
        errors={errors}
        set={form.set}
        isReadOnly={isReadOnly}
        hasPassword={page.hasPassword}
        password={password}
        onPassword={setPassword}
      />
      {!isReadOnly && (
        <SaveBar
          form={form}
          save={save}
          isDirty={isDirty}
          onDiscard={() => {
            save.reset()
            form.discard()
            setPassword('')
          }}
        />
      )}
      <UnsavedChangesDialog isDirty={isDirty} onLeave={form.discard} />
    </Form>
  )
}

interface DesignSectionsProps extends AccessSectionProps {
  isReadOnly: boolean
}

const DesignSections = ({ isReadOnly, ...props }: DesignSectionsProps) => (
  <fieldset className={classes.sections} disabled={isReadOnly}>
    <Section name="basics">
      <BasicsSection {...props} />
    </Section>
    <Section name="look">
      <LookSection {...props} />
    </Section>
    <Section name="components">
      <ComponentsSection {...props} />
    </Section>
    <Section name="history">
      <HistorySection {...props} />
    </Section>
    <Section name="language">
      <LanguageSection {...props} />
    </Section>
    <Section name="access">
      <AccessSection {...props} />
    </Section>
    <Section name="subscriptions">
      <SubscriptionsSection {...props} />
    </Section>
  </fieldset>
)

type SectionName =
  | 'basics'
  | 'look'
  | 'components'
  | 'history'
  | 'language'
  | 'access'
  | 'subscriptions'

const Section = ({ name, children }: { name: SectionName; children: ReactNode }) => {
  const { sections } = useTexts().statusPages
  return (
    <Card title={sections[name]}>
      <div className={classes.fields}>{children}</div>
    </Card>
  )
}

const useSavePage = (page: PageResource, form: MergedForm<PageDraft>, onSaved: () => void) => {
  const queryClient = useQueryClient()
  const query = statusPageQuery(page.id)
  return useMergedWrite({
    current: page,
    readPresent: () => queryClient.fetchQuery({ ...query, staleTime: 0 }),
    form,
    valuesOf: draftOf,
    write: async ({ values, changes, headers }, { password }: { password: string }) => {
      const params = { path: { id: page.id }, header: headers }
      const secret = password === '' ? {} : { password }
      const body = { ...patchOf(values, Object.keys(changes)), ...secret }
      return (await api.PATCH('/api/v1/status-pages/{id}', { params, body })).data
    },
    onSaved: (saved) => {
      queryClient.setQueryData(query.queryKey, saved)
      onSaved()
      // The page is the reply, and its preview displays the same settings.
      return queryClient.invalidateQueries({
        queryKey: ['status-pages'],
        predicate: ({ queryKey: [, part] }) => part !== 'detail' && part !== 'preview',
      })
    },
  })
}

interface SaveBarProps {
  form: MergedForm<PageDraft>
  save: ReturnType<typeof useSavePage>
  isDirty: boolean
  onDiscard(): void
}

const SaveBar = ({ form, save, isDirty, onDiscard }: SaveBarProps) => {
  const { actions, componentScreens } = useTexts()
  const { labelled } = useFormats()
  const { editor } = componentScreens
  const { labels } = useFieldTexts()
  const errors = useFieldErrors(save.error, { uniqueField: 'slug' })
  const shown = Object.keys(errors).filter((field) => isShown(field, labels))
  const hasConflict = form.conflicts.length > 0
  return (
    <FormBar>
      <ProblemNote error={save.error} fieldErrors={errors} fields={shown} />
      {shown.length > 0 && (
        <Note state="down" role="alert">
          {shown
            .map((field) => labelled(labels[draftFieldOf(field) as PageField], `${errors[field]}`))
            .join(' ')}
        </Note>
      )}
      {save.data && !isDirty && <Note state="ok">{editor.saved}</Note>}
      <Button
        type="submit"
        emphasis="primary"
        isDisabled={!isDirty || hasConflict || save.isPending}
      >
        {save.isPending ? actions.saving : editor.save}
      </Button>
      {isDirty && (
        <>
          <Button onPress={onDiscard} isDisabled={save.isPending}>
            {editor.discard}
          </Button>
          <span className={classes.quiet}>{editor.unsaved}</span>
        </>
      )}
    </FormBar>
  )
}

const isShown = (field: string, labels: object): boolean => draftFieldOf(field) in labels
