/** Settings of an existing component, with changes that are not saved yet. */
import { useEffect, useState } from 'react'
import { Form } from 'react-aria-components'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { FormBar } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { propertiesOf } from './component-types.ts'
import { ConflictCard } from './conflict-card.tsx'
import {
  type ComponentDraft,
  draftOf,
  patchOf,
  rebased,
  savedDraft,
  withValuesOf,
} from './draft.ts'
import classes from './editor.module.css'
import { EditorFields } from './editor-fields.tsx'
import { shownFields } from './editor-props.ts'
import { TestButton, TestOutcome, useTest } from './test-now.tsx'
import type { ComponentData } from './tree.ts'
import { UnsavedChangesDialog } from './unsaved-changes-dialog.tsx'
import { useFieldLabels } from './use-field-labels.ts'
import { EditConflict, useSave } from './use-save.ts'

export const SettingsView = ({ component }: { component: ComponentData }) => {
  const { can } = useSession()
  const isReadOnly = !can('COMPONENTS_UPDATE')
  const { base, draft, setDraft, isDirty, save, conflict, submit, discard, keep, take } =
    useEdit(component)
  const errors = useFieldErrors(save.error, { labels: useFieldLabels() })
  return (
    <Form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <EditorFields
        type={base.type}
        component={base}
        draft={draft}
        errors={errors}
        isReadOnly={isReadOnly}
        onChange={setDraft}
      />
      {conflict !== null && (
        <ConflictCard conflict={conflict} draft={draft} onKeep={keep} onTake={take} />
      )}
      {!isReadOnly && (
        <SaveBar isDirty={isDirty} save={save} component={base} onDiscard={discard} />
      )}
      <UnsavedChangesDialog isDirty={isDirty} />
    </Form>
  )
}

const useEdit = (component: ComponentData) => {
  const { base, draft, setDraft, restart, isDirty } = useDraft(component)
  const save = useSave((saved, sent) => restart(saved, savedDraft(draft, sent, saved)))
  const conflict = save.error instanceof EditConflict ? save.error : null
  const current = conflict?.current ?? base
  const merged = rebased(draft, base, current)
  const actions = {
    submit: () => isDirty && save.mutate({ base, draft }),
    discard: () => {
      save.reset()
      restart(component)
    },
    keep: () => {
      restart(current, merged)
      save.mutate({ base: current, draft: merged })
    },
    take: () => {
      restart(current, withValuesOf(merged, current, conflict?.fields ?? []))
      save.reset()
    },
  }
  return { base, draft, setDraft, isDirty, save, conflict, ...actions }
}

/** The draft starts again with each newer version, unless it has changes. */
const useDraft = (component: ComponentData) => {
  const [base, setBase] = useState(component)
  const [draft, setDraft] = useState(() => draftOf(component))
  const isDirty = Object.keys(patchOf(base, draft)).length > 0
  const restart = (next: ComponentData, values: ComponentDraft = draftOf(next)) => {
    setBase(next)
    setDraft(values)
  }
  useEffect(() => {
    if (isDirty || component.version <= base.version) return
    setBase(component)
    setDraft(draftOf(component))
  }, [component, base.version, isDirty])
  return { base, draft, setDraft, restart, isDirty }
}

interface SaveBarProps {
  isDirty: boolean
  save: ReturnType<typeof useSave>
  component: ComponentData
  onDiscard(): void
}

const SaveBar = ({ isDirty, save, component, onDiscard }: SaveBarProps) => {
  const { type } = component
  const test = useTest(component)
  const { isPending: isSaving, isSuccess: isSaved } = save
  const error = save.error instanceof EditConflict ? null : save.error
  const errors = useFieldErrors(error)
  const { actions, componentScreens } = useTexts()
  const { editor } = componentScreens
  return (
    <FormBar>
      <ProblemNote error={error} fieldErrors={errors} fields={shownFields(type, errors)} />
      {isSaved && !isDirty && <Note state="ok">{editor.saved}</Note>}
      {!isDirty && <TestOutcome component={component} test={test} />}
      <Button type="submit" emphasis="primary" isDisabled={!isDirty || isSaving}>
        {isSaving ? actions.saving : editor.save}
      </Button>
      {propertiesOf(component).isTestable && (
        <TestButton test={test} isDisabled={isDirty || isSaving} />
      )}
      {isDirty && (
        <>
          <Button onPress={onDiscard} isDisabled={isSaving}>
            {editor.discard}
          </Button>
          <span className={classes.quiet}>{editor.unsaved}</span>
        </>
      )}
    </FormBar>
  )
}
