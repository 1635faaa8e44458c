/**
 * The key that signs ServiceAccount tokens: created when the first token is requested, and stored
 * in a file that only its owner can read.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";

export interface SigningKey {
  readonly keyId: string;
  readonly publicKey: { readonly [field: string]: unknown };
  sign(text: string): Buffer;
  verify(text: string, signature: Buffer): boolean;
}

/** The file is read, or created, at first use: most servers never sign a token. */
export function storedSigningKey(file: string): SigningKey {
  return lazily(() => readKey(file) ?? makeKey(file));
}

/** A key that is not stored. */
export function passingSigningKey(): SigningKey {
  return lazily(newKey);
}

function lazily(open: () => KeyObject): SigningKey {
  let opened: SigningKey | undefined;
  const key = (): SigningKey => {
    opened ??= signingKey(open());
    return opened;
  };
  return {
    get keyId() {
      return key().keyId;
    },
    get publicKey() {
      return key().publicKey;
    },
    sign: (text) => key().sign(text),
    verify: (text, signature) => key().verify(text, signature),
  };
}

function signingKey(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: "spki", format: "der" });
  const keyId = createHash("sha256").update(der).digest("base64url");
  const { kty, crv, x, y } = publicKey.export({ format: "jwk" });
  return {
    keyId,
    publicKey: { use: "sig", kty, kid: keyId, crv, alg: "ES256", x, y },
    sign: (text) => sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: FORM }),
    verify: (text, signature) =>
      verify("sha256", Buffer.from(text), { key: publicKey, dsaEncoding: FORM }, signature),
  };
}

/** Both numbers of the signature concatenated, as in JSON Web Tokens. */
const FORM = "ieee-p1363";

function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

function readKey(file: string): KeyObject | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  chmodSync(file, OWNER_ONLY);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  } catch {
    // Reported below, without the contents of the file.
  }
  throw new Error(`${file} contains no usable key (delete it to create a new one)`);
}

const OWNER_ONLY = 0o600;

/** Synchronous, because issuing a token must not yield to other requests. */
function makeKey(file: string): KeyObject {
  const key = newKey();
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  const descriptor = openSync(temporary, "wx", OWNER_ONLY);
  try {
    writeSync(descriptor, key.export({ type: "pkcs8", format: "pem" }).toString());
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  return key;
}
