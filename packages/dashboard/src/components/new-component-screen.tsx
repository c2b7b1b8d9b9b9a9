/** Creation of a component. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form, Label, Radio, RadioGroup } from 'react-aria-components'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { Empty, FormBar, Screen } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { propertiesOf } from './component-types.ts'
import { type ComponentKind, creationOf, draftOf, fieldsByType, isSame, valuesOf } from './draft.ts'
import classes from './editor.module.css'
import { EditorFields } from './editor-fields.tsx'
import { shownFields } from './editor-props.ts'
import { LazyPingUrlDialog } from './lazy-heartbeat.tsx'
import { UnsavedChangesDialog } from './unsaved-changes-dialog.tsx'
import { useFieldLabels } from './use-field-labels.ts'
import { rotatePingUrl } from './use-rotate-ping-url.ts'

const types = Object.keys(fieldsByType) as ComponentKind[]

export const NewComponentScreen = () => {
  const { componentScreens, states } = useTexts()
  const { can } = useSession()
  if (can('COMPONENTS_CREATE')) return <NewComponentForm />
  return (
    <Screen title={componentScreens.editor.newTitle}>
      <Empty state="work" title={states.noPermission} hint={states.noPermissionHint} />
    </Screen>
  )
}

const NewComponentForm = () => {
  const { componentScreens, actions } = useTexts()
  const { editor } = componentScreens
  const [type, setType] = useState<ComponentKind>('ENDPOINT')
  const [draft, setDraft] = useState(() => draftOf({}))
  const create = useCreate()
  const errors = useFieldErrors(create.error, { labels: useFieldLabels() })
  const isDirty = !create.isSuccess && !isSame(valuesOf(type, draft), valuesOf(type, draftOf({})))
  return (
    <Screen title={editor.newTitle}>
      <Form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate(creationOf(type, draft))
        }}
      >
        <TypeChoice value={type} onChange={setType} />
        <EditorFields
          type={type}
          component={null}
          draft={draft}
          errors={errors}
          isReadOnly={false}
          onChange={setDraft}
        />
        <FormBar>
          <ProblemNote
            error={create.error}
            fieldErrors={errors}
            fields={shownFields(type, errors)}
          />
          <Button type="submit" emphasis="primary" isDisabled={create.isPending}>
            {create.isPending ? actions.saving : editor.create}
          </Button>
        </FormBar>
        <UnsavedChangesDialog isDirty={isDirty} />
      </Form>
      {create.pingUrl !== null && (
        <LazyPingUrlDialog pingUrl={create.pingUrl} onClose={create.openComponent} />
      )}
    </Screen>
  )
}

const useCreate = () => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const open = (id: string) =>
    navigate({ to: '/components/$id', params: { id }, ignoreBlocker: true })
  const create = useMutation({
    mutationFn: async (body: ReturnType<typeof creationOf>) => {
      const { data } = await api.POST('/api/v1/components', { body })
      const pingUrl = propertiesOf(data).hasPingUrl ? await firstPingUrl(data.id) : null
      return { id: data.id, pingUrl }
    },
    onSuccess: async ({ id, pingUrl }) => {
      void queryClient.invalidateQueries({ queryKey: ['components'] })
      if (pingUrl === null) await open(id)
    },
    // The ping URL does not remain in memory once the view is closed.
    gcTime: 0,
  })
  const { id = '', pingUrl = null } = create.data ?? {}
  return { ...create, pingUrl, openComponent: () => open(id) }
}

/** Null after a failure: the view of the component offers the creation of the URL, too. */
const firstPingUrl = (id: string): Promise<string | null> => rotatePingUrl(id).catch(() => null)

interface TypeChoiceProps {
  value: ComponentKind
  onChange(type: ComponentKind): void
}

const TypeChoice = ({ value, onChange }: TypeChoiceProps) => {
  const { editor, types: names } = useTexts().componentScreens
  return (
    <RadioGroup
      className={classes.types}
      value={value}
      onChange={(type) => onChange(type as ComponentKind)}
    >
      <Label className={classes.typesLabel}>{editor.type}</Label>
      <div className={classes.typeOptions}>
        {types.map((type) => (
          <Radio key={type} value={type} className={classes.typeOption}>
            <strong>{names[type]}</strong>
            <span className={classes.quiet}>{editor.typeHints[type]}</span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  )
}
