/** Step: publication of the page. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { statusPagesQuery } from '../api/queries.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './first-run.module.css'
import type { StepProps } from './steps.ts'

export const PublishStep = ({ data: { page } }: StepProps) => {
  const { firstRun, actions } = useTexts()
  const texts = firstRun.publish
  const queryClient = useQueryClient()
  const publish = useMutation({
    mutationFn: ({ id, isPublished }: { id: string; isPublished: boolean }) =>
      api.PATCH('/api/v1/status-pages/{id}', { params: { path: { id } }, body: { isPublished } }),
    onSuccess: () => queryClient.invalidateQueries(statusPagesQuery),
  })
  if (page === null) return <p>{texts.needsPage}</p>
  const { id, url, isPublished } = page
  return (
    <div className={classes.form}>
      {isPublished ? <Note state="ok">{texts.published}</Note> : <p>{texts.before}</p>}
      <p className={classes.address} dir="ltr">
        {isPublished ? <a href={url}>{url}</a> : url}
      </p>
      <div className={classes.actions}>
        <Button
          emphasis={isPublished ? 'secondary' : 'primary'}
          onPress={() => publish.mutate({ id, isPublished: !isPublished })}
          isDisabled={publish.isPending}
        >
          {isPublished ? texts.unpublish : texts.publish}
        </Button>
        {isPublished && (
          <a className={buttonClass()} href={url} target="_blank" rel="noreferrer">
            {actions.openPage}
          </a>
        )}
        {isPublished && <CopyButton text={url} />}
      </div>
      <ProblemNote error={publish.error} />
    </div>
  )
}
