#pragma once
#include <intel-ipsec-mb.h>
