/** French texts of the own account, and of the proof of identity. */
import type { ownAccount as model } from '../en/own-account.ts'

export const ownAccount: typeof model = {
  title: 'Compte',
  proof: {
    password: 'Mot de passe',
    code: 'Code de l’application d’authentification, ou code de secours',
    typed: 'Saisissez {text} pour confirmer',
  },
  profile: {
    title: 'Profil',
    name: 'Nom',
    nameHint: 'Tel que vos collègues le voient dans toutes les organisations',
    save: 'Enregistrer le nom',
    saved: 'Le nom est enregistré.',
    email: 'Adresse e-mail',
    verified: 'Vérifiée',
    unverified: 'Non vérifiée',
    verify: 'Renvoyer l’e-mail de vérification',
    verificationSent: 'L’e-mail a été envoyé.',
    timeZone: 'Les heures sont affichées dans le fuseau horaire de ce navigateur\u00a0: {zone}.',
    language: 'Langue',
  },
  password: {
    title: 'Mot de passe',
    current: 'Mot de passe actuel',
    next: 'Nouveau mot de passe',
    hint: 'Au moins 8 caractères. Toutes les autres sessions prennent fin.',
    save: 'Changer le mot de passe',
    saved: 'Le mot de passe est changé, et toutes les autres sessions ont pris fin.',
  },
  secondFactor: {
    title: 'Second facteur',
    off: 'Le mot de passe suffit pour se connecter.',
    on: 'La connexion exige un code d’une application d’authentification depuis {time}.',
    remaining: {
      one: '{count} code de secours inutilisé',
      other: '{count} codes de secours inutilisés',
    },
    setUp: 'Configurer',
    setUpHint:
      'Il vous faut une application d’authentification. Toutes les autres sessions prennent fin.',
    next: 'Continuer',
    scan: 'Scannez le code QR avec l’application, ou saisissez la clé, puis entrez le code qu’elle affiche.',
    qrCode: 'Code QR pour l’application d’authentification',
    key: 'Clé',
    code: 'Code de l’application',
    enable: 'Activer le second facteur',
    codes: 'Codes de secours',
    codesHint:
      'Chaque code remplace l’application une fois. Conservez-les en lieu sûr\u00a0; ils ne seront plus affichés.',
    download: 'Télécharger',
    done: 'Terminé',
    renew: 'Nouveaux codes de secours',
    renewHint:
      'Les codes de secours actuels ne sont plus valables, et toutes les autres sessions prennent fin.',
    disable: 'Désactiver',
    disableTitle: 'Désactiver le second facteur',
    disableHint: 'Le mot de passe suffit de nouveau. Toutes les autres sessions prennent fin.',
  },
  sessions: {
    title: 'Sessions',
    current: 'Ce navigateur',
    unknown: 'Programme inconnu',
    used: 'Dernière utilisation {time}',
    started: 'Connexion {time}',
    end: 'Déconnecter',
    endOf: 'Déconnecter\u00a0: {device}',
    endOthers: 'Déconnecter toutes les autres',
    othersEnded: 'Toutes les autres sessions ont pris fin.',
  },
  data: {
    title: 'Vos données',
    exportHint:
      'Compte, appartenances, sessions, clés d’API et entrées d’audit dans un fichier JSON.',
    export: 'Exporter',
    deleteHint:
      'Supprime immédiatement le compte et ses sessions. Une organisation sans autre membre est supprimée avec lui.',
    delete: 'Supprimer le compte',
    deleteTitle: 'Supprimer votre compte\u00a0?',
  },
}
