/** Own account: profile, password, second factor, sessions and data. */
import { Screen } from '../kit/screen.tsx'
import { useTexts } from '../texts/texts.tsx'
import { DataCard } from './data-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { ProfileCard } from './profile-card.tsx'
import { SecondFactorCard } from './second-factor-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

export const AccountScreen = () => (
  <Screen title={useTexts().ownAccount.title}>
    <ProfileCard />
    <PasswordCard />
    <SecondFactorCard />
    <SessionsCard />
    <DataCard />
  </Screen>
)
