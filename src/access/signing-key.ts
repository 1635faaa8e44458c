/**
 * The key that tokens of ServiceAccounts are signed with: made when the first token is asked for,
 * kept in a file that only its owner can read.
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

/** The file is read, or written, at the first use: most servers never sign anything. */
export function storedSigningKey(file: string): SigningKey {
  return lazily(() => readKey(file) ?? makeKey(file));
}

/** One that ends with its process. */
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

/** The two numbers side by side, as JSON Web Tokens have them. */
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
    // Said below, without what the file holds.
  }
  throw new Error(`${file} holds no usable key (delete it to have a new one made)`);
}

const OWNER_ONLY = 0o600;

/** Without an await: a token is issued between one request and the next. */
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
