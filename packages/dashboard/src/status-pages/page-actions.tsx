/** Actions on one status page: publication and deletion. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import classes from '../components/components.module.css'
import detailClasses from '../components/detail.module.css'
import { ActionMenu } from '../kit/action-menu.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { TextField } from '../kit/field.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { PageResource } from './page-draft.ts'
import { subscriberCountQuery } from './queries.ts'

export const PageActions = ({ page }: { page: PageResource }) => {
  const { statusPages: texts, actions } = useTexts()
  const { can } = useSession()
  const [isDeleting, setDeleting] = useState(false)
  const publish = usePublish(page.id)
  const { isPublished } = page
  const others = [
    ...(can('STATUS_PAGES_UPDATE') && isPublished
      ? [{ id: 'unpublish', label: texts.unpublish, onAction: () => publish.mutate(false) }]
      : []),
    ...(can('STATUS_PAGES_DELETE')
      ? [{ id: 'delete', label: `${texts.remove.action} …`, onAction: () => setDeleting(true) }]
      : []),
  ]
  return (
    <div className={detailClasses.actions}>
      {isPublished && (
        <a className={buttonClass()} href={page.url} target="_blank" rel="noreferrer">
          {actions.openPage}
        </a>
      )}
      {!isPublished && can('STATUS_PAGES_UPDATE') && (
        <Button
          emphasis="primary"
          onPress={() => publish.mutate(true)}
          isDisabled={publish.isPending}
        >
          {texts.publish}
        </Button>
      )}
      {others.length > 0 && <ActionMenu label={texts.more} actions={others} />}
      <ProblemNote error={publish.error} />
      {isDeleting && <DeletePageDialog page={page} onClose={() => setDeleting(false)} />}
    </div>
  )
}

const usePublish = (id: string) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (isPublished: boolean) =>
      api.PATCH('/api/v1/status-pages/{id}', { params: { path: { id } }, body: { isPublished } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['status-pages'] }),
  })
}

interface DeletePageDialogProps {
  page: PageResource
  onClose(): void
}

/** Requires the address of the page, because nothing restores its subscribers. */
const DeletePageDialog = ({ page, onClose }: DeletePageDialogProps) => {
  const { remove: texts } = useTexts().statusPages
  const { can } = useSession()
  const { fill, plural } = useFormats()
  const [typed, setTyped] = useState('')
  const remove = useDeletePage(page.id)
  const { data: subscribers = 0 } = useQuery({
    ...subscriberCountQuery(page.id),
    enabled: can('SUBSCRIBERS_VIEW'),
  })
  return (
    <Dialog title={fill(texts.title, { name: page.name })} isOpen onClose={onClose}>
      <Form
        className={classes.list}
        onSubmit={(event) => {
          event.preventDefault()
          if (typed === page.slug) remove.mutate()
        }}
      >
        <p>{texts.lost}</p>
        {subscribers > 0 && (
          <p>
            <strong>{plural(texts.subscribers, subscribers)}</strong>
          </p>
        )}
        <TextField
          label={fill(texts.confirm, { slug: page.slug })}
          value={typed}
          onChange={setTyped}
          spellCheck="false"
          autoComplete="off"
          dir="ltr"
        />
        <div className={classes.dialogActions}>
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button
            type="submit"
            emphasis="danger"
            isDisabled={typed !== page.slug || remove.isPending}
          >
            {texts.action}
          </Button>
        </div>
        <ProblemNote error={remove.error} />
      </Form>
    </Dialog>
  )
}

const useDeletePage = (id: string) => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => api.DELETE('/api/v1/status-pages/{id}', { params: { path: { id } } }),
    onSuccess: async () => {
      await navigate({ to: '/pages', ignoreBlocker: true })
      queryClient.removeQueries({ queryKey: ['status-pages', 'detail', id] })
      await queryClient.invalidateQueries({ queryKey: ['status-pages'] })
    },
  })
}
