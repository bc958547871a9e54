/** Settings of commands that append to the log: with what they sign, and where the head is noted. */
import { exportSettings } from './export-settings.js';

/** The settings of every command that appends to the log. */
export const commitSettings = {
  signingKey: exportSettings.signingKey,
  startSigning: exportSettings.startSigning,
  timestampUrl: exportSettings.timestampUrl,
  headFile: exportSettings.headFile,
};

/** The settings of a command that appends to the log only with `--request`. */
export const recordSigningSettings = {
  signingKey: {
    ...exportSettings.signingKey,
    describe: 'A file with an Ed25519 private key (PEM) that signs the record of --request',
  },
  startSigning: exportSettings.startSigning,
  timestampUrl: {
    ...exportSettings.timestampUrl,
    describe:
      'The URL of a time-stamp authority (RFC 3161), which stamps the record of --request; repeatable',
  },
  headFile: exportSettings.headFile,
};
