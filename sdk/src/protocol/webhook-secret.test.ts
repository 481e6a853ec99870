import { describe, expect, it } from 'vitest';
import { webhookSecretFault } from './webhook-secret.js';

describe('the secret of a webhook', () => {
  it.each([
    'sixteen letters!',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_AAECAwQFBgcICQoLDA==',
    'whsec_AAECAwQFBgcICQoLDA',
    'whsec-and no base64 at all',
  ])('may be %s', (secret) => {
    expect(webhookSecretFault(secret)).toBeUndefined();
  });

  it.each([
    [undefined, 'nothing'],
    [7, 'no text'],
    ['too short', '9 characters'],
    ['x'.repeat(257), '257 characters'],
    ['whsec_!!!notbase64!!!', 'whsec_ before what is no base64'],
    ['whsec_AAECAwQFBgcICQoLDA=', 'whsec_ before what is no base64'],
    ['whsec_AAECAwQFBgcICQoLD', 'whsec_ before what is no base64'],
    ['whsec_AAEC-_QFBgcICQoL', 'whsec_ before what is no base64'],
  ])('is not %j', (secret, got) => {
    expect(webhookSecretFault(secret)?.got).toBe(got);
  });
});
