/** Pending deletion of the organization, which an owner can withdraw. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Actions } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type OrganizationData, organizationQuery } from './queries.ts'

interface DeletionNoteProps {
  organization: OrganizationData
  isOwner: boolean
}

export const DeletionNote = ({ organization: { deletion }, isOwner }: DeletionNoteProps) => {
  const { settings: texts } = useTexts().organizationScreens
  const { fill, time } = useFormats()
  const queryClient = useQueryClient()
  const restore = useMutation({
    mutationFn: () => api.POST('/api/v1/organization/restore'),
    onSettled: () => queryClient.invalidateQueries(organizationQuery),
  })
  if (deletion === null) return null
  return (
    <Note state="down">
      <p>{fill(texts.deletesAt, { time: time(deletion.deletesAt) })}</p>
      {isOwner && (
        <Actions>
          <Button onPress={() => restore.mutate()} isDisabled={restore.isPending}>
            {texts.restore}
          </Button>
        </Actions>
      )}
      <ProblemNote error={restore.error} />
    </Note>
  )
}
