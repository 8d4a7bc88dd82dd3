//! The calls to an engine and to a desk, made of the one list.

use askdesk_domain::{Approval, CommandId, Request, Session, SessionUsage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::*;

/// What carries the caller's id, if it has one: the input of a command that changes something.
pub trait Identified {
    fn request_id(&self) -> Option<CommandId> {
        None
    }
}

/// The input of a command.
pub trait Input {
    type Output: DeserializeOwned + Serialize;
}

/// A command of the one list.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Engine(EngineCall),
    Desk(DeskCall),
}

macro_rules! calls {
    (
        engine { $($name:ident($input:ident) -> $output:ident,)+ }
        desk { $($desk_name:ident($desk_input:ident) -> $desk_output:ident,)+ }
    ) => {
        call! { #[doc = "A command to an engine."] EngineCall { $($name($input) -> $output,)+ } }
        call! {
            #[doc = "A command to a desk: it concerns this program and its screen, or needs them."]
            DeskCall { $($desk_name($desk_input) -> $desk_output,)+ }
        }

        impl Call {
            pub const NAMES: &[&str] = &[$(stringify!($name),)+ $(stringify!($desk_name),)+];

            /// Reads a command by its name and input; none if the list doesn't have it.
            pub fn read(name: &str, input: Value) -> Option<Result<Self, Error>> {
                Some(match name {
                    $(stringify!($name) => read_input::<$input>(input).map(|input| Self::Engine(input.into())),)+
                    $(stringify!($desk_name) => {
                        read_input::<$desk_input>(input).map(|input| Self::Desk(input.into()))
                    })+
                    _ => return None,
                })
            }
        }

        impl EngineCall {
            /// Writes the input of the command as JSON.
            pub fn input(&self) -> serde_json::Result<Value> {
                match self {
                    $(Self::$input(input) => serde_json::to_value(input),)+
                }
            }

            /// Reads the output of the command and writes it again. Fails if it is none of this command.
            pub fn retype(name: &str, output: &str) -> serde_json::Result<String> {
                match name {
                    $(stringify!($name) => serde_json::to_string(&serde_json::from_str::<$output>(output)?),)+
                    _ => Err(serde::de::Error::custom(format!("there is no command {name:?}"))),
                }
            }
        }
    };
}

macro_rules! call {
    (#[$doc:meta] $call:ident { $($name:ident($input:ident) -> $output:ident,)+ }) => {
        #[$doc]
        #[derive(Clone, Debug, PartialEq)]
        pub enum $call {
            $($input(Box<$input>),)+
        }

        impl $call {
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$input(_) => stringify!($name),)+
                }
            }

            pub fn request_id(&self) -> Option<CommandId> {
                match self {
                    $(Self::$input(input) => input.request_id(),)+
                }
            }
        }

        $(impl Input for $input {
            type Output = $output;
        }

        impl From<$input> for $call {
            fn from(input: $input) -> Self {
                Self::$input(Box::new(input))
            }
        })+
    };
}

crate::for_each_command!(calls);
