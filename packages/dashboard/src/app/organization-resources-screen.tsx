/** Resources of the organization as a list, with the dialog that creates one. */
import { type ComponentType, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Screen } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { NoPermission } from './problem.tsx'

interface OrganizationResourcesScreenProps {
  texts: { title: string; intro: string; create: string }
  List: ComponentType
  NewDialog: ComponentType<{ onClose(): void }>
}

export const OrganizationResourcesScreen = (props: OrganizationResourcesScreenProps) => {
  const { texts, List, NewDialog } = props
  const { can } = useSession()
  const [isCreating, setCreating] = useState(false)
  return (
    <Screen
      title={texts.title}
      intro={texts.intro}
      aside={
        can('ORGANIZATION_CREATE') && (
          <Button emphasis="primary" onPress={() => setCreating(true)}>
            {texts.create}
          </Button>
        )
      }
    >
      {can('ORGANIZATION_VIEW') ? <List /> : <NoPermission />}
      {isCreating && <NewDialog onClose={() => setCreating(false)} />}
    </Screen>
  )
}
