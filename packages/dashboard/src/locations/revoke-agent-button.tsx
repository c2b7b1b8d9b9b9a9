/** Revocation of an agent. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { locationsQuery } from '../api/queries.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'

interface RevokeAgentButtonProps {
  locationId: string
  agent: { id: string; name: string }
}

export const RevokeAgentButton = (props: RevokeAgentButtonProps) => {
  const { locationId, agent } = props
  const { locations: texts } = useTexts()
  const { fill } = useFormats()
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const revoke = useMutation({
    mutationFn: () =>
      api.DELETE('/api/v1/locations/{id}/agents/{agentId}', {
        params: { path: { id: locationId, agentId: agent.id } },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: locationsQuery.queryKey }),
  })
  return (
    <>
      <Button
        emphasis="danger"
        onPress={() => setOpen(true)}
        aria-label={fill(texts.revokeOf, { name: agent.name })}
      >
        {texts.revoke}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={fill(texts.revokeTitle, { name: agent.name })}
          confirm={texts.revoke}
          action={revoke}
          onClose={() => setOpen(false)}
        >
          <p>{texts.revokeHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
