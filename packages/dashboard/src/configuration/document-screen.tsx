/** Configuration as one YAML document: editor, plan and apply. */
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useRef } from 'react'
import { Problem } from '../app/problem.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Note } from '../kit/note.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { lazyPart } from '../modules/lazy-part.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { ConfigurationFrame } from './configuration-frame.tsx'
import { DiffView } from './diff-view.tsx'
import { DriftCard } from './drift-card.tsx'
import { AppliedCard, PlanCard } from './plan-card.tsx'
import { ProblemsCard, RefusalNote } from './problems-card.tsx'
import { exportQuery } from './queries.ts'
import { type DocumentEdit, useDocument } from './use-document.ts'
import { usePlan } from './use-plan.ts'
import { useValidation, type Validation } from './use-validation.ts'
import type { YamlEditorHandle } from './yaml-editor.tsx'

/** The editor is half of the size of the view; plan, problems and drift are displayed before it. */
const YamlEditor = lazyPart(
  async () => (await import('./yaml-editor.tsx')).YamlEditor,
  () => <Skeleton rows={10} />,
)

export const DocumentScreen = () => (
  <ConfigurationFrame>
    <LoadedDocument />
  </ConfigurationFrame>
)

const LoadedDocument = () => {
  const { data, error, refetch } = useQuery(exportQuery)
  if (data !== undefined) return <DocumentEditor current={data} />
  return error === null ? <Skeleton rows={10} /> : <Problem error={error} onRetry={refetch} />
}

const DocumentEditor = ({ current }: { current: string }) => {
  const edit = useDocument(current)
  const validation = useValidation(edit.text)
  const planning = usePlan(edit)
  const editor = useRef<YamlEditorHandle>(null)
  const { planned, apply } = planning
  return (
    <div className={classes.columns}>
      <div className={classes.stack}>
        {edit.isOutdated && !apply.isPending && <OutdatedNote edit={edit} />}
        <EditorCard edit={edit} validation={validation} planning={planning} editor={editor} />
        {planned !== null && planned.text === edit.text && (
          <PlanCard {...planning} planned={planned} />
        )}
        {apply.data !== undefined && planned === null && <AppliedCard plan={apply.data} />}
      </div>
      <div className={classes.stack}>
        <ProblemsCard validation={validation} onShow={(problem) => editor.current?.show(problem)} />
        <DriftCard />
      </div>
    </div>
  )
}

/** The stored text began with a document that others have changed since. */
const OutdatedNote = ({ edit }: { edit: DocumentEdit }) => {
  const { configuration: texts } = useTexts()
  return (
    <Note state="part">
      <p>{texts.document.outdated}</p>
      <details className={classes.details}>
        <summary>{texts.document.outdatedChanges}</summary>
        <DiffView label={texts.document.outdatedChanges} before={edit.base} after={edit.current} />
      </details>
    </Note>
  )
}

interface EditorCardProps {
  edit: DocumentEdit
  validation: Validation
  planning: ReturnType<typeof usePlan>
  editor: RefObject<YamlEditorHandle | null>
}

const EditorCard = ({ edit, validation, planning, editor }: EditorCardProps) => {
  const { configuration: texts } = useTexts()
  const { can } = useSession()
  const { plan, apply } = planning
  const isReadOnly = !can('CONFIG_UPDATE')
  return (
    <Card title={texts.document.title} aside={<ValidationState validation={validation} />}>
      <YamlEditor
        ref={editor}
        label={texts.document.title}
        value={edit.text}
        problems={validation.problems}
        isReadOnly={isReadOnly || apply.isPending}
        onChange={edit.change}
      />
      {!isReadOnly && (
        <div className={classes.toolbar}>
          <Button
            emphasis="primary"
            onPress={() => plan.mutate(false)}
            isDisabled={plan.isPending || apply.isPending || validation.errorCount > 0}
          >
            {plan.isPending ? texts.plan.planning : texts.plan.create}
          </Button>
          {edit.isDirty && (
            <Button onPress={edit.discard} isDisabled={apply.isPending}>
              {texts.document.discard}
            </Button>
          )}
          <span className={classes.quiet}>{texts.document.keys}</span>
        </div>
      )}
      {planning.error !== null && (
        <div className={classes.content}>
          <RefusalNote error={planning.error} />
        </div>
      )}
    </Card>
  )
}

const ValidationState = ({ validation }: { validation: Validation }) => {
  const { configuration: texts } = useTexts()
  const { fill, number } = useFormats()
  const { isChecking, errorCount } = validation
  const valid =
    errorCount === 0
      ? texts.document.valid
      : fill(texts.problems.errors, { count: number(errorCount) })
  return <span role="status">{isChecking ? texts.document.checking : valid}</span>
}
