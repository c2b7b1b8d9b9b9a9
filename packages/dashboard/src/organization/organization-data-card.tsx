/** Export and deletion of the organization, for its owners. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, basePath } from '../api/client.ts'
import { givenProof, type Proof, ProofDialog } from '../app/proof-dialog.tsx'
import { Actions, CardBody, Hint } from '../kit/arrangement.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type OrganizationData, organizationQuery } from './queries.ts'

interface OrganizationDataCardProps {
  organization: OrganizationData
}

export const OrganizationDataCard = ({ organization }: OrganizationDataCardProps) => {
  const { settings: texts } = useTexts().organizationScreens
  const { fill } = useFormats()
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const remove = useMutation({
    mutationFn: (proof: Proof) => api.DELETE('/api/v1/organization', { body: givenProof(proof) }),
    onSuccess: () => {
      setOpen(false)
      return queryClient.invalidateQueries(organizationQuery)
    },
  })
  return (
    <Card title={texts.data}>
      <CardBody>
        <Hint>{texts.exportHint}</Hint>
        <Actions>
          <a className={buttonClass()} href={`${basePath}/api/v1/organization/export`} download="">
            {texts.export}
          </a>
        </Actions>
      </CardBody>
      {organization.deletion === null && (
        <CardBody>
          <Hint>{texts.deleteHint}</Hint>
          <Actions>
            <Button emphasis="danger" onPress={() => setOpen(true)}>
              {texts.delete}
            </Button>
          </Actions>
        </CardBody>
      )}
      {isOpen && (
        <ProofDialog
          title={fill(texts.deleteTitle, { name: organization.name })}
          submit={texts.delete}
          emphasis="danger"
          typed={organization.name}
          action={remove}
          onClose={() => setOpen(false)}
        >
          <p>{texts.deleteHint}</p>
        </ProofDialog>
      )}
    </Card>
  )
}
